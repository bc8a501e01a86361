/** A parsed reply, which a test checks member by member. */
// biome-ignore lint/suspicious/noExplicitAny: a reply is checked member by member
export type Json = any;
