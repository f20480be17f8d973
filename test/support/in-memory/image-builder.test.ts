import { imageBuilderSuite } from '../../ports/image-builder.ts';
import { createFileTree } from './file-tree.ts';
import { createInMemoryImageBuilder } from './image-builder.ts';
import { createInMemoryRegistry } from './image-registry.ts';

const files = createFileTree();
const registryDown = 'away.example:5000';
const builder = createInMemoryImageBuilder({
  files,
  registry: createInMemoryRegistry(),
  hostsDown: new Set([registryDown]),
});
let inputs = 0;

imageBuilderSuite(() => ({
  builder,
  registry: 'localhost:5000',
  registryDown,
  async input(service, content) {
    inputs += 1;
    const buildId = `bld_${inputs}`;
    const contextDirectory = `/workspace/${buildId}`;
    for (const [name, text] of Object.entries(content)) {
      files.put(`${contextDirectory}/${name}`, { kind: 'file', text, mode: 0o644 });
    }
    const tag = `localhost:5000/${service}:${buildId}`;
    const dockerfile = `${contextDirectory}/Dockerfile`;
    const build = { buildId, org: 'acme', service, environment: 'sandbox' } as const;
    return { ...build, contextDirectory, dockerfile, tag, labels: {}, secrets: {} };
  },
}));
