import { parseArgs } from 'node:util';
import { createDockerClient } from '../../adapters/docker/docker-client.ts';
import { buildPlatformImage, DEFAULT_TAG, pushPlatformImage } from '../image/build-platform-image.ts';
import { createReporter, errorLine } from './terminal.ts';

/** `npm run image`: builds the platform's image and prints its digest and its size. */

const USAGE = `usage: npm run image -- [options]
  --tag <name>       of the image, such as registry.example.com/fairlead:0.4.0 (default: ${DEFAULT_TAG})
  --base <image>     another base than that of infra/image/Dockerfile; one with git, ssh and docker is left as it is
  --npmrc <file>     settings of npm for the build, such as of a registry of your own; no layer has them
  --network <name>   of the build, such as host
  --push             pushes it too, with the login of your docker client, and prints the digest by which it is pulled
  --json             one JSON document
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      tag: { type: 'string', default: DEFAULT_TAG },
      base: { type: 'string' },
      npmrc: { type: 'string' },
      network: { type: 'string' },
      push: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const report = createReporter(process.stderr);
  const docker = createDockerClient(process.env.DOCKER_HOST);
  const { tag, base, npmrc, network } = values;
  const options = { docker, env: process.env, tag, base, npmrc, network, onLine: report.line };
  const built = await buildPlatformImage(options);
  const pushed = values.push ? await pushPlatformImage(options) : null;
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ success: true, data: { tag, ...built, pushed } })}\n`);
    return 0;
  }
  const size = `${(built.sizeBytes / 1e6).toFixed(0)} MB`;
  process.stdout.write(`${tag}  ${built.digest}  ${size}\n${pushed === null ? '' : `${pushed}\n`}`);
  return 0;
}

/** Of a word or an option that `parseArgs` does not know. */
function isUsage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}

try {
  process.exitCode = await main();
} catch (error) {
  const hint = isUsage(error) ? '\n(see npm run image -- --help)' : '';
  process.stderr.write(`fairlead: ${errorLine(error)}${hint}\n`);
  process.exitCode = 1;
}
