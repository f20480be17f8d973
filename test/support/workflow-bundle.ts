import { silentReporter } from '../../infra/dev/terminal.ts';
import { workflowBundle } from '../../infra/dev/workflow-bundle.ts';

/** All workflows of the sources as they are, for `Worker.create`: bundled once for all files, not anew in each. */
export async function testWorkflowBundle(): Promise<{ readonly codePath: string }> {
  return { codePath: await workflowBundle(process.env, silentReporter) };
}
