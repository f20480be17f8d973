import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { acceptedReply, channelReply, createdChannelReply } from '../monitor-replies.ts';
import { printable } from '../terminal/style.ts';

const CHANNELS = pathOf('api', 'alerts', 'channels');

interface OrgOption {
  readonly org?: string;
}

/** `fairlead alerts`. */
export async function listChannels(context: CliContext, { org }: OrgOption): Promise<number> {
  const { output } = context;
  const reply = z.looseObject({ items: z.array(channelReply) });
  const page = await connectToMonitor(context).call(reply, { method: 'GET', path: CHANNELS, query: { org } });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print('Nobody is told of outages. Add one: `fairlead alerts add <address>`');
  else {
    output.table(
      [{ title: 'KIND' }, { title: 'WHERE', shrinks: true }, { title: 'ORG' }, { title: 'STATE' }, { title: 'ID' }],
      page.items.map(({ id, org: owner, target, state }) => [
        { text: target.kind },
        { text: target.to ?? target.url ?? '', tone: 'bold' },
        { text: owner ?? 'operators' },
        { text: state ?? '' },
        { text: id, tone: 'dim' },
      ]),
    );
    for (const { id, lastProblem } of page.items) {
      if (lastProblem != null) output.note(`${id}: ${printable(lastProblem)}`);
    }
  }
  return exitCode('ok');
}

/** `fairlead alerts add <address>`: a mail address, or the address of a webhook. */
export async function addChannel(context: CliContext, address: string, { org }: OrgOption): Promise<number> {
  const { output } = context;
  const body = /^https?:\/\//.test(address) ? { kind: 'webhook', url: address } : { kind: 'mail', to: address };
  const request = { method: 'POST', path: CHANNELS, query: { org }, body } as const;
  const made = await connectToMonitor(context).call(createdChannelReply, request);
  output.document(made);
  const secret = made.secret ?? null;
  if (output.quiet) output.print(secret ?? made.id);
  else {
    const isAsked = made.state === 'unconfirmed';
    output.print(`Outages are told to ${printable(address)} (${made.id})${isAsked ? ' once it is confirmed' : ''}`);
    if (isAsked) output.note('Whoever reads there confirms it by the link that is mailed, within a day.');
    if (secret !== null) output.print(`Its receiver checks signatures with ${secret}`);
  }
  if (secret !== null) output.note('The secret is shown this once.');
  return exitCode('ok');
}

/** `fairlead alerts remove <channel>`. */
export async function removeChannel(context: CliContext, id: string): Promise<number> {
  const { output } = context;
  const path = pathOf('api', 'alerts', 'channels', id);
  output.document(await connectToMonitor(context).call(channelReply, { method: 'DELETE', path }));
  if (!output.quiet) output.print(`Removed ${id}`);
  return exitCode('ok');
}

/** `fairlead alerts test`. */
export async function testAlerts(context: CliContext, { org }: OrgOption): Promise<number> {
  const { output } = context;
  const request = { method: 'POST', path: pathOf('api', 'alerts', 'test'), query: { org }, body: {} } as const;
  output.document(await connectToMonitor(context).call(acceptedReply, request));
  if (!output.quiet) output.print('A test is on its way to every channel');
  return exitCode('ok');
}
