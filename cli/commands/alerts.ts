import { z } from 'zod';
import type { ChatService } from '../../domain/notifications/chat-services.ts';
import { pathOf } from '../api-client.ts';
import { usageFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToMonitor } from '../monitor-api.ts';
import { acceptedReply, type ChannelReply, channelReply, createdChannelReply } from '../monitor-replies.ts';
import { readSecrets } from '../secret-input.ts';
import { printable } from '../terminal/style.ts';

const CHANNELS = pathOf('api', 'alerts', 'channels');

interface OrgOption {
  readonly org?: string;
}

/** With the key of the platform, and for its admins, these commands are about the operators where no org is named. */
const OF_OPERATORS =
  'It is a channel of the operators. Outages of a service are told to its org, as `fairlead services` shows it: add the address with --org <slug>';

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
      [
        ...[{ title: 'KIND' }, { title: 'WHERE', shrinks: true }, { title: 'ORG' }, { title: 'STATE' }],
        ...[{ title: 'QUIET' }, { title: 'ID' }],
      ],
      page.items.map(({ id, org: owner, target, state, quiet }) => [
        { text: target.service ?? target.kind },
        { text: whereOf(target), tone: 'bold' },
        { text: owner ?? 'operators' },
        { text: state ?? '' },
        { text: quietText(quiet) },
        { text: id, tone: 'dim' },
      ]),
    );
    if (page.items.some(({ org: owner }) => owner == null)) {
      output.note(
        'Operators are told what concerns no org. Channels of an org, which is told of its outages: --org <slug>',
      );
    }
    for (const { id, lastProblem } of page.items) {
      if (lastProblem != null) output.note(`${id}: ${printable(lastProblem)}`);
    }
  }
  return exitCode('ok');
}

function quietText(quiet: ChannelReply['quiet']): string {
  if (quiet == null) return '';
  const { from, to, timeZone, weekdays } = quiet;
  const days = weekdays == null ? '' : ` ${weekdays.join(',')}`;
  return printable(`${from}-${to} ${timeZone}${days}`);
}

function whereOf({ to, url, host }: ChannelReply['target']): string {
  return to ?? url ?? host ?? '';
}

/** `fairlead alerts add <address>`: a mail address, or the address of a webhook. */
export async function addChannel(context: CliContext, address: string, { org }: OrgOption): Promise<number> {
  const body = /^https?:\/\//.test(address) ? { kind: 'webhook', url: address } : { kind: 'mail', to: address };
  return await addBody(context, body, org);
}

/** What of a chat is a secret, in the order in which it is asked for; by the name of its field. */
const CHAT_SECRETS: Readonly<Record<ChatService, readonly ('address' | 'token')[]>> = {
  slack: ['address'],
  discord: ['address'],
  teams: ['address'],
  telegram: ['token'],
  ntfy: ['address'],
  pagerduty: ['token'],
};

export interface ChatOptions extends OrgOption {
  readonly room?: string;
  readonly token?: boolean;
  readonly address?: string;
}

/** `fairlead alerts add-chat <service>`: its secrets are prompted for, or read from stdin. */
export async function addChat(context: CliContext, service: ChatService, options: ChatOptions): Promise<number> {
  const { room, token: asksToken = false, address, org } = options;
  const isByToken = service === 'ntfy' && asksToken;
  const asked = [...CHAT_SECRETS[service], ...(isByToken ? (['token'] as const) : [])];
  const secrets = await readSecrets(asked, context.terminal);
  return await addBody(context, { kind: service, ...(address !== undefined && { address }), room, ...secrets }, org);
}

async function addBody(context: CliContext, body: object, org: string | undefined): Promise<number> {
  const { output } = context;
  const request = { method: 'POST', path: CHANNELS, query: { org }, body } as const;
  const made = await connectToMonitor(context).call(createdChannelReply, request);
  output.document(made);
  const secret = made.secret ?? null;
  if (output.quiet) output.print(secret ?? made.id);
  else {
    const isAsked = made.state === 'unconfirmed';
    const told = made.org == null ? 'What concerns no org is told to' : `Outages of ${printable(made.org)} are told to`;
    output.print(`${told} ${printable(whereOf(made.target))} (${made.id})${isAsked ? ' once it is confirmed' : ''}`);
    if (made.org == null) output.note(OF_OPERATORS);
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

export interface QuietOptions {
  /** `HH:MM-HH:MM` */
  readonly hours: string;
  readonly zone: string;
  readonly days?: string;
  readonly passes: string;
}

/** `fairlead alerts quiet <channel> <hours>`. */
export async function setQuiet(context: CliContext, id: string, options: QuietOptions): Promise<number> {
  const { output } = context;
  const [, from, to] = /^(\d{2}:\d{2})-(\d{2}:\d{2})$/.exec(options.hours) ?? [];
  if (from === undefined) throw usageFailure(`${options.hours} are no hours.`, 'Write them as 22:00-07:00.');
  const weekdays = options.days === undefined ? null : options.days.toLowerCase().split(',');
  const body = { from, to, timeZone: options.zone, weekdays, passes: options.passes };
  const path = pathOf('api', 'alerts', 'channels', id, 'quiet-hours');
  const channel = await connectToMonitor(context).call(channelReply, { method: 'PUT', path, body });
  output.document(channel);
  if (!output.quiet) {
    output.print(`${printable(whereOf(channel.target))} is quiet ${quietText(channel.quiet)}`);
    const urgent = channel.quiet?.passes === 'warning' ? 'Warnings and what is critical are' : 'What is critical is';
    output.note(`What waits then is told as one message at the end. ${urgent} told at once.`);
  }
  return exitCode('ok');
}

/** `fairlead alerts end-quiet <channel>`. */
export async function endQuiet(context: CliContext, id: string): Promise<number> {
  const { output } = context;
  const path = pathOf('api', 'alerts', 'channels', id, 'quiet-hours');
  const channel = await connectToMonitor(context).call(channelReply, { method: 'DELETE', path });
  output.document(channel);
  if (!output.quiet) output.print(`${printable(whereOf(channel.target))} is told everything at once`);
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
