/**
 * The members of `node:http` that are called here.
 *
 * They are not imported: an import reads every member, and one of them makes Node load its own `fetch`, 13 MiB in 100 ms.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
