import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageRegistry } from '../tools/image-registry.ts';
import { runProgram } from '../tools/run-program.ts';
import { definePart } from './embedded-part.ts';

const HOST = '127.0.0.1';

/** The image registry on a folder, with deletion on; what nothing refers to any more is removed before each start. */
export const registry = definePart({
  name: 'registry',
  title: 'image registry',
  tools: [imageRegistry],
  ports: { registry: { usual: 5050, variable: 'FAIRLEAD_REGISTRY_PORT', title: 'the image registry' } },
  folder: 'registry',
  secrets: [],
  replacedBy: 'DOCKER_REGISTRY',
  replacedWith: ['DOCKER_REGISTRY_USER', 'DOCKER_REGISTRY_TOKEN'],
  starts: 'always',
  provides: [{ variable: 'DOCKER_REGISTRY', heldBy: 'every process', value: ({ ports }) => addressOf(ports.registry) }],
  addresses: (ports) => ({ registry: addressOf(ports.registry) }),
  children: (tool, { dataDir, ports }) => {
    const home = join(dataDir, 'registry');
    const config = join(home, 'config.yml');
    return [
      {
        name: 'registry',
        command: tool.path,
        args: ['serve', config],
        env: { OTEL_TRACES_EXPORTER: 'none' },
        exitsBy: 'watchdog',
        ready: { kind: 'http', url: `http://${HOST}:${ports.registry}/v2/` },
        readyTimeoutMs: 20_000,
        graceMs: 5_000,
        beforeStart: async () => {
          const store = join(home, 'data', 'docker', 'registry', 'v2');
          // The collector takes an empty store for a broken one.
          for (const name of ['repositories', 'blobs']) await mkdir(join(store, name), { recursive: true });
          await writeFile(config, configuration(home, ports.registry));
          await runProgram(tool.path, ['garbage-collect', config], { timeoutMs: 60_000 });
        },
      },
    ];
  },
});

/** `localhost`: the engine pushes to it without TLS. */
function addressOf(port: number): string {
  return `localhost:${port}`;
}

function configuration(home: string, port: number): string {
  return `version: 0.1
log: { level: warn, accesslog: { disabled: true } }
storage:
  filesystem: { rootdirectory: ${JSON.stringify(join(home, 'data'))} }
  delete: { enabled: true }
  cache: { blobdescriptor: inmemory }
http: { addr: '${HOST}:${port}' }
`;
}
