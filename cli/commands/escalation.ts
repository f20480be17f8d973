import type { OutageSeverity } from '../../domain/notifications/escalation.ts';
import { pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { type EscalationReply, escalationReply } from '../monitor-replies.ts';
import { list } from '../option-values.ts';
import { printable } from '../terminal/style.ts';

interface OrgOption {
  readonly org?: string;
}

const POLICIES = [
  { severity: 'critical', title: 'Outages of prod, and what people report' },
  { severity: 'warning', title: 'Outages of other environments' },
] as const;

/** `fairlead alerts escalation`. */
export async function showEscalation(context: CliContext, { org }: OrgOption): Promise<number> {
  const request = { method: 'GET', path: pathOf('api', 'alerts', 'escalation'), query: { org } } as const;
  return print(context, await connectToMonitor(context).call(escalationReply, request));
}

export interface PolicyOptions extends OrgOption {
  readonly repeat?: number;
  /** Seconds. */
  readonly repeatAfter?: number;
}

/** `fairlead alerts escalate <severity> <steps…>`: `<channel>,<channel>`, and `10m:<channel>` for each later one. */
export async function setEscalation(
  context: CliContext,
  severity: OutageSeverity,
  steps: readonly string[],
  { org, repeat, repeatAfter }: PolicyOptions,
): Promise<number> {
  if ((repeat === undefined) !== (repeatAfter === undefined)) {
    throw usageFailure('A repeat needs both its number and its wait.', 'Write them as --repeat 2 --repeat-after 30m.');
  }
  const again = repeat === undefined ? null : { times: repeat, waitMinutes: minutesOf(repeatAfter ?? 0) };
  const body = { steps: steps.map(readStep), repeat: again };
  const request = {
    method: 'PUT',
    path: pathOf('api', 'alerts', 'escalation', severity),
    query: { org },
    body,
  } as const;
  return print(context, await connectToMonitor(context).call(escalationReply, request));
}

/** `fairlead alerts end-escalation <severity>`. */
export async function endEscalation(
  context: CliContext,
  severity: OutageSeverity,
  { org }: OrgOption,
): Promise<number> {
  const request = { method: 'DELETE', path: pathOf('api', 'alerts', 'escalation', severity), query: { org } } as const;
  return print(context, await connectToMonitor(context).call(escalationReply, request));
}

function readStep(text: string, index: number) {
  const [, wait, channels = ''] = /^(?:([^:]*):)?([^:]*)$/.exec(text) ?? [];
  const channelIds = list(channels);
  const [, count, unit] = /^(\d{1,4})([mh])$/.exec(wait ?? '') ?? [];
  const waitMinutes = index === 0 ? 0 : Number(count) * (unit === 'h' ? 60 : 1);
  if (channelIds.length > 0 && (index === 0) === (wait === undefined) && Number.isInteger(waitMinutes)) {
    return { waitMinutes, channelIds };
  }
  throw usageFailure(
    `${text} is no step.`,
    'Write the first one as <channel>,<channel>, and each later one with what is waited before it: 10m:<channel>.',
  );
}

function minutesOf(seconds: number): number {
  return Math.ceil(seconds / 60);
}

function print({ output }: CliContext, reply: EscalationReply): number {
  output.document(reply);
  if (output.quiet) return exitCode('ok');
  for (const { severity, title } of POLICIES) {
    output.print(output.paint('bold', `${title} (${severity})`));
    for (const line of linesOf(reply[severity])) output.print(`  ${printable(line)}`);
  }
  return exitCode('ok');
}

function linesOf(policy: EscalationReply['critical']): readonly string[] {
  if (policy == null) return ['every channel is told at once'];
  const { steps, repeat } = policy;
  const lines = steps.map(({ waitMinutes, channels }, index) => {
    const names = channels.map(({ id, kind, where, state }) => {
      const name = [kind ?? '', where ?? '', id].filter((part) => part !== '').join(' ');
      return state === 'active' ? name : `${name} (${state})`;
    });
    return `${index + 1}. ${waitMinutes === 0 ? 'at once' : `${waitText(waitMinutes)} later`}: ${names.join(', ')}`;
  });
  if (repeat == null) return lines;
  const times = repeat.times === 1 ? 'once more' : `${repeat.times} times more`;
  return [...lines, `all of it ${times}, ${waitText(repeat.waitMinutes)} after the last step`];
}

function waitText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const parts = [hours === 0 ? '' : `${hours} h`, minutes % 60 === 0 ? '' : `${minutes % 60} min`];
  return parts.filter((part) => part !== '').join(' ');
}
