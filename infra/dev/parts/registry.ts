import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../data-folder.ts';
import { removeBrokenManifests, removeUnneededManifests } from '../registry-clean-up.ts';
import { errorLine } from '../terminal.ts';
import { imageRegistry } from '../tools/image-registry.ts';
import { runProgram } from '../tools/run-program.ts';
import { definePart } from './embedded-part.ts';

const HOST = '127.0.0.1';
const USER = 'fairlead';
const TOKEN = 'REGISTRY_TOKEN';

/** The least there is: the registry hashes at every request, and a token of 256 random bits cannot be guessed. */
const BCRYPT_ROUNDS = 4;

/**
 * The image registry on a folder. It answers nothing without the credentials, which the worker alone holds, and deletes
 * nothing while it serves: what pruning names, and what nothing refers to any more, is removed before each start.
 */
export const registry = definePart({
  name: 'image-registry',
  title: 'image registry',
  tools: [imageRegistry],
  ports: { imageRegistry: { usual: 5050, variable: 'FAIRLEAD_REGISTRY_PORT', title: 'the image registry' } },
  folder: 'registry',
  secrets: [TOKEN],
  replacedBy: 'DOCKER_REGISTRY',
  replacedWith: ['DOCKER_REGISTRY_USER', 'DOCKER_REGISTRY_TOKEN'],
  starts: 'always',
  provides: [
    { variable: 'DOCKER_REGISTRY', heldBy: 'every process', value: ({ ports }) => addressOf(ports.imageRegistry) },
    { variable: 'DOCKER_REGISTRY_USER', heldBy: 'worker', value: () => USER },
    { variable: 'DOCKER_REGISTRY_TOKEN', heldBy: 'worker', value: ({ secret }) => secret(TOKEN) },
    { variable: 'REGISTRY_DELETIONS', heldBy: 'worker', value: ({ dataDir }) => deletionsIn(dataDir) },
  ],
  addresses: (ports) => ({ 'image-registry': addressOf(ports.imageRegistry) }),
  credentials: ({ ports, secret }) => ({
    address: addressOf(ports.imageRegistry),
    user: USER,
    password: secret(TOKEN),
  }),
  children: (tool, { dataDir, ports, secret, report }) => {
    const home = join(dataDir, 'registry');
    const config = join(home, 'config.yml');
    return [
      {
        name: 'image-registry',
        command: tool.path,
        args: ['serve', config],
        env: { OTEL_TRACES_EXPORTER: 'none' },
        exitsBy: 'watchdog',
        ready: { kind: 'http', url: `http://${HOST}:${ports.imageRegistry}/v2/`, status: 401 },
        readyTimeoutMs: 20_000,
        graceMs: 5_000,
        beforeStart: async () => {
          await makePrivateFolder(home);
          const store = join(home, 'data', 'docker', 'registry', 'v2');
          // The collector takes an empty store for a broken one.
          for (const name of ['repositories', 'blobs']) await mkdir(join(store, name), { recursive: true });
          // Loaded here: whoever reads the table of parts does not need it.
          const { hash } = await import('bcryptjs');
          const passwords = `${USER}:${await hash(secret(TOKEN), BCRYPT_ROUNDS)}\n`;
          await writeFile(join(home, 'passwords'), passwords, { mode: 0o600 });
          await writeFile(config, configuration(home, ports.imageRegistry));
          await removeUnneededManifests(join(store, 'repositories'), deletionsIn(dataDir));
          const collect = () => runProgram(tool.path, ['garbage-collect', config], { timeoutMs: 60_000 });
          await collect().catch(async () => {
            await removeBrokenManifests(store);
            // A store with too much in it serves as well.
            await collect().catch((error) => report.line(`the image registry was not cleaned up: ${errorLine(error)}`));
          });
        },
      },
    ];
  },
});

/** `localhost`: the engine pushes to it without TLS. */
function addressOf(port: number): string {
  return `localhost:${port}`;
}

function deletionsIn(dataDir: string): string {
  return join(dataDir, 'registry', 'deletions');
}

function configuration(home: string, port: number): string {
  return `version: 0.1
log: { level: warn, accesslog: { disabled: true } }
storage:
  filesystem: { rootdirectory: ${JSON.stringify(join(home, 'data'))} }
  delete: { enabled: false }
  cache: { blobdescriptor: inmemory }
auth: { htpasswd: { realm: fairlead, path: ${JSON.stringify(join(home, 'passwords'))} } }
http: { addr: '${HOST}:${port}' }
`;
}
