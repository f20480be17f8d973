import type { z } from 'zod';
import type { Output } from './output.ts';
import type { planReply } from './replies.ts';
import { printable } from './terminal/style.ts';

/** Prints what a deploy would do, and of each step that it leaves out why. */
export function printPlan(output: Output, service: string, environment: string, plan: z.infer<typeof planReply>): void {
  const { paint } = output;
  const framework = typeof plan.framework === 'string' ? paint('dim', `  ${plan.framework}`) : '';
  output.print(`Plan of ${paint('bold', service)} in ${environment}${framework}`);
  printFound(output, plan.found ?? []);
  let stage = '';
  for (const step of plan.steps) {
    if (step.stage !== stage) {
      stage = step.stage;
      output.print(`\n${paint('bold', stage)}`);
    }
    const skipped = step.state === 'skipped';
    const reason = typeof step.reason === 'string' ? `  ${printable(step.reason)}` : '';
    output.print(
      skipped ? paint('dim', `  – ${step.title}${reason}`) : `  ${paint('good', '•')} ${step.title}${reason}`,
    );
  }
  const runs = plan.steps.filter((step) => step.state !== 'skipped').length;
  output.print(`\n${runs} of ${plan.steps.length} steps run. Nothing was started.`);
  printRuntime(output, plan.runtime);
  for (const warning of plan.warnings ?? []) output.print(paint('warn', `! ${printable(warning)}`));
}

/** What runs the service, where that is not the container engine, and what it does otherwise. */
function printRuntime({ paint, print }: Output, runtime: z.infer<typeof planReply>['runtime']): void {
  if (runtime === undefined) return;
  print(`It runs on ${printable(runtime.name)}:`);
  for (const difference of runtime.differences) print(paint('dim', `  ${printable(difference)}`));
}

/** What was found of the app, why, and where each can be set. */
function printFound({ paint, print }: Output, found: NonNullable<z.infer<typeof planReply>['found']>): void {
  if (found.length === 0) return;
  print(`\n${paint('bold', 'found')}`);
  const width = Math.max(...found.map(({ title }) => title.length));
  for (const { title, value, reason, setBy } of found) {
    print(`  ${printable(title).padEnd(width)}  ${printable(value)}`);
    const set = setBy === undefined ? '' : `; set by ${setBy}`;
    print(paint('dim', `  ${' '.repeat(width)}  ${printable(reason + set)}`));
  }
}
