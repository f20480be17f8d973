import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, Option } from 'commander';
import { z } from 'zod';
import { type CliEnv, readCliEnv } from '../adapters/env.ts';
import { defaultServiceUrl, serviceRow } from '../domain/services.ts';
import { createApiClient } from './api-client.ts';
import { addAuditCommands } from './audit-command-table.ts';
import { addCatalogCommands } from './catalog-command-table.ts';
import { toFailure } from './cli-failure.ts';
import { addCommands } from './command-table.ts';
import { resolveConnection } from './connection.ts';
import { type CliContext, ENVIRONMENT_CHOICES, type GlobalOptions } from './context.ts';
import { EXIT_CODES, exitCode } from './exit-codes.ts';
import { createAuthorization } from './login/authorization.ts';
import { createCredentialsFile, credentialsPath } from './login/credentials-file.ts';
import { createOutput, type Output } from './output.ts';
import type { Perform, PerformAlone } from './perform.ts';
import { connectToProvider } from './provider-api.ts';
import { type Printer, type Surroundings, thisProcess } from './surroundings.ts';
import { asTyped, typedName } from './typed-name.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs one command line.
 * @param args without the interpreter and the script
 * @param surroundings where it reads and writes
 * @returns the exit code; nothing is thrown
 */
export async function runCli(args: readonly string[], surroundings: Surroundings = thisProcess): Promise<number> {
  let code = exitCode('ok');
  // Before the options are parsed, an error has to know how to show itself.
  const json = args.includes('--json');
  let output = makeOutput({ json, env: 'prod', color: !args.includes('--no-color') }, {}, surroundings);
  if (args[0] === 'help' && args[1] === 'exit-codes') {
    for (const line of exitCodeLines()) surroundings.stdout.write(`${line}\n`);
    return code;
  }
  try {
    const env = readCliEnv(surroundings.env);
    const perform: Perform = async (command, action) => {
      const globals: GlobalOptions = command.optsWithGlobals();
      output = makeOutput(globals, env, surroundings);
      code = await action(createContext(globals, { env, output, surroundings }));
    };
    const performAlone: PerformAlone = async (command, action) => {
      const globals: GlobalOptions = command.optsWithGlobals();
      output = makeOutput(globals, env, surroundings);
      const apiUrl = () => knownApi(globals, env);
      code = await action({ output, terminal: surroundings, cwd: surroundings.cwd, apiUrl });
    };
    const program = buildProgram({ perform, performAlone }, { json, surroundings });
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return reportUsage(error, { json, surroundings });
    const failure = toFailure(error);
    output.failure(failure);
    return exitCode(failure.exit);
  }
}

/** Every command with its arguments and options; what one does is for `perform` and `performAlone`. */
export function buildProgram(
  { perform, performAlone }: { perform: Perform; performAlone: PerformAlone },
  { json, surroundings }: { json: boolean; surroundings: Surroundings },
): Command {
  const { stdout, stderr } = surroundings;
  const typed = nameTyped(surroundings);
  const program = new Command('fairlead')
    .description('Deploys services to Fairlead: from a git commit or a folder to a running, healthy address.')
    .addOption(new Option('-e, --env <environment>', 'environment').choices(ENVIRONMENT_CHOICES).default('prod'))
    .option('--json', 'JSON on stdout: one document, or one event per line while following a build')
    .option('-q, --quiet', 'print only the result: the address, or ids one per line')
    .option('--no-color', 'no colours (same as NO_COLOR)')
    .option(
      '--api-url <url>',
      'the builder API (default: FAIRLEAD_URL, else the stack started from this checkout, else the last login)',
    )
    .version(version(), '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help of a command; `help exit-codes` lists the exit codes')
    .addHelpText('after', '\nExit codes: fairlead help exit-codes')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(asTyped(text, typed)),
      // With --json the error is told as JSON.
      writeErr: (text) => json || stderr.write(asTyped(text, typed)),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    });
  addCommands(program, perform);
  addCatalogCommands(program, performAlone);
  addAuditCommands(program, { perform, performAlone });
  nameHelp(program, 'fairlead');
  for (const group of program.commands) refuseUnknown(group);
  return program;
}

/** After a wrong option, each command names its own help. */
function nameHelp(command: Command, path: string): void {
  command.showHelpAfterError(`(see ${path} --help)`);
  for (const one of command.commands) nameHelp(one, `${path} ${one.name()}`);
}

/** A word that is no command of a group is refused as one, though the group's default command would get it as an argument. */
function refuseUnknown(group: Command): void {
  for (const one of group.commands) {
    const refuse = one.error.bind(one);
    one.error = (message, options) => {
      const [word] = group.args;
      const isTyped = word === undefined || word.startsWith('-') || word === one.name() || one.aliases().includes(word);
      if (isTyped || options?.code !== 'commander.excessArguments') return refuse(message, options);
      const names = group.commands.map((each) => each.name()).join(', ');
      return group.error(`error: unknown command '${word}': it is one of ${names}`, {
        code: 'commander.unknownCommand',
      });
    };
  }
}

function nameTyped({ env, script = '', cwd }: Surroundings): string {
  return typedName({ env, script, cwd });
}

function widthOf({ isTTY, columns }: Printer): number {
  return (isTTY === true ? columns : undefined) ?? 80;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return z.looseObject({ version: z.string() }).parse(manifest).version;
}

function exitCodeLines(): string[] {
  return EXIT_CODES.map(({ code, meaning }) => `${String(code).padStart(4)}  ${meaning}`);
}

function makeOutput(globals: GlobalOptions, env: Pick<CliEnv, 'NO_COLOR'>, surroundings: Surroundings): Output {
  const { stdout, stderr } = surroundings;
  const options = {
    json: globals.json === true,
    quiet: globals.quiet === true,
    colour: globals.color && env.NO_COLOR === undefined,
    typed: nameTyped(surroundings),
  };
  return createOutput(options, stdout, stderr);
}

function createContext(
  globals: GlobalOptions,
  { env, output, surroundings }: { env: CliEnv; output: Output; surroundings: Surroundings },
): CliContext {
  const now = () => new Date();
  const credentials = createCredentialsFile(credentialsPath(env));
  const connection = resolveConnection(env, globals.apiUrl, ROOT, credentials);
  if (connection.hasForeignLogin) {
    const text = `The login that is kept for ${connection.api} is of another installation.`;
    output.note(`${text} The key of this checkout's stack is used; log in: \`fairlead login\``);
  }
  const authorize = createAuthorization(connection, credentials, now);
  return {
    output,
    connection,
    api: createApiClient(connection, authorize),
    provider: () => connectToProvider(connection, authorize),
    credentials,
    desktop: env,
    environment: globals.env,
    terminal: surroundings,
    cwd: surroundings.cwd,
    checkout: ROOT,
    now,
  };
}

/** For what needs no platform: where one would be, though nothing is asked of it. */
function knownApi(globals: GlobalOptions, env: CliEnv): string {
  try {
    return resolveConnection(env, globals.apiUrl, ROOT, createCredentialsFile(credentialsPath(env))).api;
  } catch {
    return defaultServiceUrl(serviceRow('builder'));
  }
}

/** Commander has written its message for people already. */
function reportUsage(
  error: CommanderError,
  { json, surroundings }: { json: boolean; surroundings: Surroundings },
): number {
  if (error.exitCode === 0) return exitCode('ok');
  if (json) {
    const noCommand = error.code === 'commander.help';
    const message = noCommand ? 'name a command; `fairlead --help` lists them' : error.message.replace(/^error: /, '');
    const body = { success: false, error: { code: 'USAGE', message }, exitCode: exitCode('usage') };
    surroundings.stdout.write(`${JSON.stringify(body)}\n`);
  }
  return exitCode('usage');
}
