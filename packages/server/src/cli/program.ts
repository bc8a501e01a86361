import { Command, CommanderError, Option } from 'commander';
import { maskApiKeys } from '../app/api-key.ts';
import { ownCommand } from '../app/own-command.ts';
import { variables } from '../config/variables.ts';
import { KeyStoreError } from '../store/store-faults.ts';
import { type CommandContext, type Does, RefusedError, UsageError } from './command.ts';
import type { InspectOptions } from './inspect.ts';
import type { VerifyOptions } from './verify.ts';

const refused = 1;
const wrongUsage = 2;

/**
 * Runs the command line of the program, `serve` without arguments.
 *
 * Resolves with the exit status: that of the command, 1 when it is refused, 2 for a command line that is not understood. An API key
 * among the arguments is in no message. Rejects only on a bug.
 */
export async function runCommandLine(args: readonly string[], given: CommandContext): Promise<number> {
  const context: CommandContext = { ...given, stderr: (text) => given.stderr(maskApiKeys(text)) };
  let status = 0;
  const does: Does =
    (run) =>
    async (...values) => {
      status = await run(...values);
    };
  const program = makeProgram(context, does);
  const keys = program
    .command('keys')
    .description('create, limit and revoke API keys, show what they were used for and who changed them');
  if (args[0] === 'keys') (await import('./keys/keys.ts')).addKeysCommands(keys, context, does);
  try {
    await program.parseAsync(args.length === 0 ? ['serve'] : args, { from: 'user' });
    return status;
  } catch (error) {
    // Its message is written already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
    if (error instanceof UsageError) {
      context.stderr(`error: ${error.message}\n${seeHelp}\n`);
      return wrongUsage;
    }
    if (!(error instanceof RefusedError || error instanceof KeyStoreError)) throw error;
    context.stderr(`${error.message}\n`);
    return refused;
  }
}

const seeHelp = '--help shows the usage.';

function makeProgram(context: CommandContext, does: Does): Command {
  const program = new Command('splwright')
    .description('Builds unsigned token transfers on Solana. Without a command it runs the service.')
    .version(context.version, '--version')
    .exitOverride()
    .showHelpAfterError(seeHelp)
    .configureOutput({ writeOut: context.stdout, writeErr: context.stderr })
    .configureHelp({ commandUsage: usageOf });
  addServe(program, context, does);
  program
    .command('config')
    .description('check the configuration and print it, with secrets masked')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExit status: 0, or 78 when a value is wrong.')
    .action(does(async (options: { json?: true }) => (await import('./show-config.ts')).runConfig(options, context)));
  program
    .command('doctor')
    .description('examine what the service needs, and say what to set')
    .option('--json', 'print one line of JSON')
    .addHelpText(
      'after',
      '\nExit status: 0 when the service can run, 1 when something fails, 78 when a value of the configuration is wrong.',
    )
    .action(does(async (options: { json?: true }) => (await import('./doctor/doctor.ts')).runDoctor(options, context)));
  program
    .command('backup')
    .description('copy the SQLite database into a new file, also while the service runs')
    .argument('<file>', 'the new file')
    .addHelpText('after', '\nExit status: 0, 1 when there is nothing to copy or the file exists, 78 as of config.')
    .action(does(async (file: string) => (await import('./backup.ts')).runBackup(file, context)));
  program
    .command('ping')
    .description('ask the service at HOST and PORT whether it is alive: for health checks of containers')
    .option('--ready', 'ask whether it is ready')
    .addHelpText(
      'after',
      '\nExit status: 0 when the answer is 200, 1 when it is another or none came within 3 seconds.',
    )
    .action(does(async (options: { ready?: true }) => (await import('./ping.ts')).runPing(options, context)));
  program
    .command('inspect')
    .description('describe a transaction, signed or not, in words')
    .argument('[bytes]', 'a JSON array of integers, a reply of the service, base64, base58 or hex; or standard input')
    .option('--bytes', 'name every byte')
    .option('--json', 'print one line of JSON')
    .addHelpText('after', '\nExit status: 0, or 1 when the bytes are not a transaction.')
    .action(
      does(async (text: string | undefined, options: InspectOptions) =>
        (await import('./inspect.ts')).runInspect(text, options, context),
      ),
    );
  addVerify(program, context, does);
  program
    .command('demo')
    .description('build, sign, submit and confirm one transfer of each operation on the sandbox')
    .addHelpText(
      'after',
      '\nUses the service at SPLWRIGHT_URL, otherwise the one at HOST and PORT if it runs on its sandbox, otherwise its own.\n' +
        'Exit status: 0 when every transfer was confirmed, 1 when one was not, 78 when the sandbox is not installed.',
    )
    .action(does(async () => (await import('./demo.ts')).runDemo(context)));
  return program;
}

/** The usage line of a command, as it is called here. */
function usageOf(command: Command): string {
  const names: string[] = [];
  for (let each = command; each.parent; each = each.parent) names.unshift(each.name());
  const [name, ...rest] = names;
  return name === undefined ? 'splwright [command]' : ownCommand(name, [...rest, command.usage()].join(' '));
}

const shownOptions: readonly string[] = ['PORT', 'HOST', 'DATABASE_URL', 'LOG_LEVEL'];

/** Each variable of the environment is an option of `serve`; the help has those that its readers need first. */
function addServe(program: Command, { serve }: CommandContext, does: Does): void {
  const command = program
    .command('serve')
    .description('run the service, on the sandbox unless a Solana node is named')
    .addHelpText(
      'after',
      '\nEach variable of the environment, but those of a proxy, is also an option, which comes before it: --workers 2 is WORKERS=2.\n' +
        `To see them all: ${ownCommand('config')}\n` +
        'Exit status: 0 after a signal to stop, 1 when it cannot listen, 78 when a value is wrong.',
    );
  const names = new Map<string, string>();
  for (const { name, meaning, isAlsoLowerCase } of variables) {
    // Those of a proxy every program reads from its environment; --no-proxy would be the opposite of --proxy.
    if (isAlsoLowerCase) continue;
    const option = new Option(`--${name.toLowerCase().replaceAll('_', '-')} <value>`, meaning);
    names.set(option.attributeName(), name);
    command.addOption(option.hideHelp(!shownOptions.includes(name)));
  }
  const rpcUrl = new Option(
    '--rpc-url <url>',
    'a Solana node; several, the preferred one first, by repeating the option',
  )
    .argParser((url: string, before: string | undefined) => (before === undefined ? url : `${before},${url}`))
    .conflicts('solanaRpcUrls');
  names.set(rpcUrl.attributeName(), 'SOLANA_RPC_URLS');
  command.addOption(rpcUrl).action(
    does((options: Readonly<Record<string, string>>) => {
      const given = Object.entries(options).map(([option, value]) => [names.get(option) ?? option, value]);
      return serve(Object.fromEntries(given));
    }),
  );
}

function addVerify(program: Command, context: CommandContext, does: Does): void {
  program
    .command('verify')
    .description('compare the transactions of a reply with the request; sign nothing that is refused here')
    .requiredOption(
      '--request <file>',
      'the JSON body as it was posted; for a payment link its terms: account, to_address, token_mint_address, amount or ' +
        'amount_decimal, memo, reference',
    )
    .option('--reply <file>', 'the JSON body as it was received; without it, standard input is read')
    .option('--operation <path>', 'the path that was called; without it the shape of the reply tells')
    .option('--decimals <number>', 'the decimals of the mint')
    .option('--token-program <address>', 'the token program of the mint')
    .option('--lifetime-token <text>', 'the blockhash or nonce: the header Solana-Blockhash of the reply')
    .option('--sponsor <address>', 'a fee payer that may have signed already')
    .option('--max-priority-fee <lamports>', 'the most that the priority fee of a transaction may cost', '1000000')
    .option('--max-batch-priority-fee <lamports>', 'the most for all transactions of a batch', '10000000')
    .option('--allow-more-transactions', 'accept a batch in over a third more transactions than its payments need')
    .option(
      '--current-block-height <number>',
      'of a node that you trust: last_valid_block_height must be within 160 of it',
    )
    .option('--allow-transfer-hook', 'accept a mint that calls a program on each transfer')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit status: 0 if the transactions do exactly what the request says, 1 if they do not.')
    .action(does(async (options: VerifyOptions) => (await import('./verify.ts')).runVerify(options, context)));
}
