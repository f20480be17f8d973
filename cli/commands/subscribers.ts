import { z } from 'zod';
import { pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { subscriberReply } from '../monitor-replies.ts';
import { orgText } from '../org-text.ts';
import { noteMore, readPages } from '../read-pages.ts';

const PATH = pathOf('api', 'status-page', 'subscribers');

interface OrgOption {
  readonly org?: string;
}

/** `fairlead subscribers`. */
export async function listSubscribers(
  context: CliContext,
  { org, limit }: OrgOption & { readonly limit: number },
): Promise<number> {
  const { output } = context;
  const page = await readPages(connectToMonitor(context), subscriberReply, { path: PATH, query: { org }, limit });
  const total = page.total ?? page.items.length;
  output.document({ ...page, total });
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else {
    output.table(
      [{ title: 'ADDRESS', shrinks: true }, { title: 'CONFIRMED' }, { title: 'ID' }],
      page.items.map(({ id, address, confirmedAt }) => [
        { text: address, tone: 'bold' },
        { text: confirmedAt ?? '' },
        { text: id, tone: 'dim' },
      ]),
    );
    output.print(total === 1 ? '1 subscriber' : `${total} subscribers`);
  }
  noteMore(output, page, limit);
  return exitCode('ok');
}

/** `fairlead subscribers export`: CSV on stdout. */
export async function exportSubscribers(context: CliContext, { org }: OrgOption): Promise<number> {
  const request = { method: 'GET', path: `${PATH}.csv`, query: { org } } as const;
  const answer = await connectToMonitor(context).open(request);
  const csv = await answer.text();
  context.output.document({ csv });
  context.output.print(csv.trimEnd());
  return exitCode('ok');
}

/** `fairlead subscribers remove <id>`, or with `--all` all of the page. */
export async function removeSubscribers(
  context: CliContext,
  id: string | undefined,
  { org, all = false, yes = false }: OrgOption & { readonly all?: boolean; readonly yes?: boolean },
): Promise<number> {
  if ((id === undefined) !== all) throw usageFailure('Name one subscriber by its id, or --all.');
  const { output } = context;
  const api = connectToMonitor(context);
  if (id !== undefined) {
    const path = pathOf('api', 'status-page', 'subscribers', id);
    output.document(await api.call(subscriberReply, { method: 'DELETE', path, query: { org } }));
    if (!output.quiet) output.print(`Removed ${id}`);
    return exitCode('ok');
  }
  await confirm(
    context,
    { yes },
    {
      text: 'All subscribers of the status page are forgotten: they get no more updates, and have to subscribe anew.',
      command: `subscribers remove --all${orgText(org)}`,
    },
  );
  const reply = z.looseObject({ removed: z.number() });
  const gone = await api.call(reply, { method: 'DELETE', path: PATH, query: { org } });
  output.document(gone);
  if (!output.quiet) output.print(`Removed ${gone.removed}`);
  return exitCode('ok');
}
