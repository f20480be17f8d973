import { randomBytes } from 'node:crypto';
import { createHostProcess } from '../../../adapters/process/host-process.ts';
import { createHttpGuard } from './http-guard.ts';

/**
 * The Temporal UI behind a password. The UI's own program can ask for none; it starts with all that it needs when somebody
 * first signs in, since most stacks run without anybody looking. Until then this process is as small as Node can be.
 */
const { TEMPORAL_UI_PORT: port, TEMPORAL_UI_PASSWORD: password } = process.env;
if (!port || !password) throw new Error('TEMPORAL_UI_PORT and TEMPORAL_UI_PASSWORD are needed');
const host = createHostProcess();
const onError = (error: unknown): void => {
  process.stderr.write(`temporal-ui: ${error instanceof Error ? error.message : String(error)}\n`);
};
const key = randomBytes(32).toString('base64url');
let running: Promise<number> | null = null;
const uiPort = (): Promise<number> => {
  running ??= import('./ui-program.ts').then(({ startUi }) => startUi(key));
  running.catch(() => {
    running = null;
  });
  return running;
};
const guard = createHttpGuard({ password, key, uiPort, onError });
guard.once('error', (error) => {
  onError(error);
  process.exit(1);
});
guard.listen(Number(port), '127.0.0.1');
await host.stopRequested;
process.exit(0);
