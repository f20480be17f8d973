import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { projectRoot } from './project.ts';

/** A process of its own that writes the workflow bundle to the path it is given: `bundle-workflows.ts <path>`. */
const path = process.argv[2];
if (!path) throw new Error('usage: bundle-workflows.ts <path>');
const workflowsPath = join(projectRoot, 'workflows', 'index.ts');
const { code } = await bundleWorkflowCode({
  workflowsPath,
  logger: new DefaultLogger('WARN'),
  // The worker holds the bundle twice, with its map: stack traces need positions, not the sources.
  webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
});
const partial = `${path}.${process.pid}.partial`;
await writeFile(partial, inLatin1(code));
await rename(partial, path);

/** V8 takes two bytes for each character of a text with one beyond Latin 1, so these are written as escapes. */
function inLatin1(code: string): string {
  if (/\.raw`[^`]*[^\0-\xff]/.test(code))
    throw new Error('String.raw of workflows takes Latin 1 alone: it shows escapes');
  return code.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
