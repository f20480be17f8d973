import { which } from './tools/resolve-tool.ts';
import { runProgram } from './tools/run-program.ts';

/** `nobody`, which every Linux has. */
const NOBODY = '65534';
const AS_NOBODY = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`] as const;

type Command = readonly [string, ...string[]];

/**
 * The command line of a program that refuses to run as root, such as PostgreSQL. Where this process is root, the program
 * gets a user namespace in which it is `nobody` without capabilities; its files belong to root outside of it, see
 * user_namespaces(7).
 * @throws Error where the machine makes no such namespace
 */
export async function asOrdinaryUser(command: Command): Promise<Command> {
  if (process.getuid?.() !== 0) return command;
  const [unshare, ...flags] = AS_NOBODY;
  const path = (await which(unshare, process.env)) ?? unshare;
  await runProgram(path, [...flags, 'true'], { timeoutMs: 10_000 }).catch((error) => {
    const remedy = 'run the stack as another user than root, or name a production server';
    throw new Error(`${command[0]} refuses to run as root, and this machine makes no user namespace: ${remedy}`, {
      cause: error,
    });
  });
  return [path, ...flags, ...command];
}
