import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from './project.ts';
import type { Stack } from './stack.ts';

const DEMO_SERVICE = 'hello';

/** Deploys the bundled sample with the command line, as a user would, and prints its address. @throws Error when it fails */
export async function deployDemo(stack: Stack, signal: AbortSignal): Promise<void> {
  const folder = join(projectRoot, 'infra', 'dev', 'demo');
  const child = spawn(process.execPath, [join(projectRoot, 'cli', 'fairlead.mjs'), 'deploy', folder], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, FAIRLEAD_URL: `http://127.0.0.1:${stack.ports.builder}`, FAIRLEAD_KEY: stack.key },
  });
  signal.addEventListener('abort', () => child.kill('SIGINT'), { once: true });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the sample's deploy ended with exit code ${code}`);
  const domain = process.env.PLATFORM_DOMAIN || 'localhost';
  console.log(`\nThe sample is live at http://${DEMO_SERVICE}.prod.${domain}:${stack.ports.edge}\n`);
}
