import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { openBrowser } from '../open-browser.ts';
import { liveUrl } from './services.ts';

/** `fairlead open [service]`: prints the address, and on a terminal opens it in the browser. */
export async function open(context: CliContext, given: string | undefined): Promise<number> {
  const { output } = context;
  const name = await serviceName(context, given);
  const url = await liveUrl(context, name);
  output.document({ service: name, environment: context.environment, url });
  await showAddress(output, url);
  return exitCode('ok');
}

/** Prints an address, and on a terminal opens it in the browser. */
export async function showAddress(output: CliContext['output'], url: string): Promise<void> {
  output.print(url);
  if (output.interactive && /^https?:\/\//.test(url) && !(await openBrowser(url))) {
    output.note('No browser could be opened.');
  }
}
