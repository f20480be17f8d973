import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporalSection, temporalSettings } from '../../../adapters/env/platform.ts';
import { folder, text } from '../../../adapters/env/variable-kinds.ts';
import { readSection } from '../../../adapters/env.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { freePorts } from '../free-ports.ts';
import { groupOf, isListening } from '../is-listening.ts';
import { acceptsTcp } from '../readiness.ts';
import { openGrpcGuard } from './grpc-guard.ts';
import { KEY_HEADER } from './http-guard.ts';

const HOST = '127.0.0.1';
const READY_WITHIN_MS = 20_000;

/**
 * Starts the UI's own program, without any credential of Temporal: it comes there by the guard of gRPC. This process ends
 * when the program does, and both start again.
 * @returns the program's port
 */
export async function startUi(key: string): Promise<number> {
  const env = readSection({ ...temporalSection, TEMPORAL_UI_PROGRAM: text, TEMPORAL_UI_FOLDER: folder });
  const settings = temporalSettings(env);
  const grpcPort = await openGrpcGuard(key, settings);
  const [port = 0] = await freePorts(1);
  const config = join(env.TEMPORAL_UI_FOLDER, 'config');
  await mkdir(config, { recursive: true });
  await writeFile(join(config, 'embedded.yaml'), configuration({ port, grpcPort, namespace: settings.namespace }));
  const args = ['--root', env.TEMPORAL_UI_FOLDER, '--config', 'config', '--env', 'embedded', 'start'];
  const child = spawn(env.TEMPORAL_UI_PROGRAM, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: baseEnv(process.env),
  });
  process.once('exit', () => child.kill('SIGKILL'));
  for (const end of ['error', 'exit'] as const) child.once(end, () => process.exit(1));
  const deadline = performance.now() + READY_WITHIN_MS;
  const group = (await groupOf(String(child.pid))) ?? undefined;
  // Another user's program may have taken the port meanwhile. It would be sent the key with the first request.
  while (!(await acceptsTcp(HOST, port)) || (await isListening(group, port)) === false) {
    if (performance.now() > deadline)
      throw new Error(`the Temporal UI was not ready within ${READY_WITHIN_MS / 1000} s`);
    await delay(25);
  }
  return port;
}

/** JSON is YAML. */
function configuration({ port, grpcPort, namespace }: { port: number; grpcPort: number; namespace: string }): string {
  return JSON.stringify({
    ...{ temporalGrpcAddress: `${HOST}:${grpcPort}`, host: HOST, port, enableUi: true, hideLogs: true },
    ...{ defaultNamespace: namespace, notifyOnNewVersion: false, forwardHeaders: [KEY_HEADER] },
    // Its pages are on http.
    cors: { cookieInsecure: true },
  });
}
