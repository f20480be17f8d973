import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { projectRoot } from './project.ts';

/** A process of its own that writes the workflow bundle to the path it is given: `bundle-workflows.ts <path>`. */
const path = process.argv[2];
if (!path) throw new Error('usage: bundle-workflows.ts <path>');
const workflowsPath = join(projectRoot, 'workflows', 'index.ts');
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
const partial = `${path}.${process.pid}.partial`;
await writeFile(partial, code);
await rename(partial, path);
