import { cliVariable } from '../../domain/service-addresses.ts';
import { serviceRow } from '../../domain/services.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { showAddress } from './open.ts';

/** `fairlead console`: prints the address of the console, and on a terminal opens it in the browser. */
export async function openConsole({ connection, output }: CliContext): Promise<number> {
  const row = serviceRow('console');
  const found = connection.service(row.name);
  if (found === null) {
    throw new CliFailure('CONSOLE_UNKNOWN', `The console of ${connection.api} is not known.`, {
      exit: 'unreachable',
      remedy: `Set ${cliVariable(row)} to its address: ${row.baseUrlVariable} where that API runs.`,
    });
  }
  output.document({ url: found.url });
  await showAddress(output, found.url);
  return exitCode('ok');
}
