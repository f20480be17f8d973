import { spawn } from 'node:child_process';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { liveUrl } from './services.ts';

const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** `fairlead open [service]`: prints the address, and on a terminal opens it in the browser. */
export async function open(context: CliContext, given: string | undefined): Promise<number> {
  const { output } = context;
  const name = serviceName(context, given);
  const url = await liveUrl(context, name);
  output.document({ service: name, environment: context.environment, url });
  output.print(url);
  if (output.interactive && /^https?:\/\//.test(url)) await openBrowser(url, output.note);
  return exitCode('ok');
}

/** Starts the system's opener, which outlives this process. Without one the printed address is enough. */
function openBrowser(url: string, note: (line: string) => void): Promise<void> {
  return new Promise((done) => {
    const child = spawn(OPENERS[process.platform] ?? 'xdg-open', [url], { stdio: 'ignore', detached: true });
    child.once('error', () => {
      note('No browser could be opened from here.');
      done();
    });
    child.once('spawn', () => {
      child.unref();
      done();
    });
  });
}
