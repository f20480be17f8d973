import { pathOf } from '../api-client.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { acceptedReply, deliveryReply } from '../monitor-replies.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printable } from '../terminal/style.ts';
import { formatMoment } from '../terminal/times.ts';

const PATH = pathOf('api', 'alerts', 'deliveries');

export interface DeliveryOptions {
  readonly org?: string;
  readonly state: string;
  readonly limit: number;
}

/** `fairlead alerts deliveries`. */
export async function listDeliveries(context: CliContext, { org, state, limit }: DeliveryOptions): Promise<number> {
  const { output } = context;
  const page = await readPages(connectToMonitor(context), deliveryReply, { path: PATH, query: { org, state }, limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else if (page.items.length === 0) output.print(`No notice is ${state}.`);
  else {
    output.table(
      [{ title: 'NOTICE', shrinks: true }, { title: 'TO' }, { title: 'TRIED' }, { title: 'SINCE' }, { title: 'ID' }],
      page.items.map(({ id, subject, audience, channelId, attempts, createdAt }) => [
        { text: subject, tone: 'bold' },
        { text: audience === 'subscribers' ? audience : channelId },
        { text: attempts === 1 ? 'once' : `${attempts} times` },
        { text: formatMoment(createdAt) },
        { text: id, tone: 'dim' },
      ]),
    );
    for (const { id, lastProblem } of page.items) {
      if (lastProblem != null) output.note(`${printable(id)}: ${printable(lastProblem)}`);
    }
    if (state === 'dead') output.note('Try one once more: `fairlead alerts replay <delivery>`');
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead alerts replay <delivery>`. */
export async function replayDelivery(context: CliContext, id: string): Promise<number> {
  const { output } = context;
  const request = { method: 'POST', path: `${PATH}/replay`, body: { id } } as const;
  output.document(await connectToMonitor(context).call(acceptedReply, request));
  if (!output.quiet) output.print(`${printable(id)} is tried once more`);
  return exitCode('ok');
}
