import { z } from 'zod';
import { PERSONAL_OWNER } from '../../domain/locker-handle.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';
import { actingOrg, type OrgOption } from '../acting-org.ts';
import { pathOf } from '../api-client.ts';
import { parseAssignments } from '../assignments.ts';
import { CliFailure, usageFailure } from '../cli-failure.ts';
import { confirm } from '../confirm.ts';
import { type CliContext, serviceName } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { connectToLocker, lockerPath, readHandle, readItemHandle } from '../locker-api.ts';
import { given } from '../option-values.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { readSecrets } from '../secret-input.ts';
import { printFields } from '../terminal/fields.ts';
import { formatAge } from '../terminal/times.ts';

const text = z.string();
const vaultsReply = z.looseObject({ items: z.array(z.looseObject({ name: text, items: z.number() })) });
const itemReply = z.looseObject({
  handle: text,
  fields: z.array(z.looseObject({ name: text, secret: z.boolean(), value: text.optional() })),
  bindings: z.array(z.looseObject({ serviceId: text, service: text })),
  legacyAlias: text.nullish(),
  sealedAt: text.nullish(),
  updatedAt: text.nullish(),
  updatedBy: text.nullish(),
});
const removedReply = z.looseObject({ handle: text });
const valuesReply = z.looseObject({ values: z.array(z.looseObject({ name: text, value: text })) });
const serviceIdReply = z.looseObject({ id: text, name: text, org: text.optional() });

type ItemReply = z.infer<typeof itemReply>;

/** `fairlead locker vaults`. */
export async function listVaults(context: CliContext, options: OrgOption): Promise<number> {
  const { output } = context;
  const owner = actingOrg(context.connection, options.org);
  const reply = await connectToLocker(context).call(vaultsReply, { method: 'GET', path: lockerPath(owner, 'vaults') });
  output.document(reply);
  if (output.quiet) for (const { name } of reply.items) output.print(name);
  else if (reply.items.length === 0) output.print(`Nothing is in this locker yet. Put an item: ${putExample(owner)}`);
  else {
    output.table(
      [{ title: 'VAULT' }, { title: 'ITEMS' }],
      reply.items.map(({ name, items }) => [{ text: name, tone: 'bold' }, { text: String(items) }]),
    );
  }
  return exitCode('ok');
}

/** `fairlead locker items [vault]`: names, and no value. */
export async function listItems(
  context: CliContext,
  vault: string | undefined,
  options: OrgOption & { readonly limit: number },
): Promise<number> {
  const { output, now } = context;
  const owner = actingOrg(context.connection, options.org);
  const request = {
    path: lockerPath(owner, 'items'),
    query: { vault },
    limit: options.limit,
  };
  const page = await readPages(connectToLocker(context), itemReply, request);
  output.document(page);
  if (output.quiet) for (const { handle } of page.items) output.print(handle);
  else if (page.items.length === 0) output.print(`No item is here. Put one: ${putExample(owner)}`);
  else {
    output.table(
      [
        { title: 'ITEM' },
        { title: 'FIELDS', shrinks: true },
        { title: 'SERVICES', shrinks: true },
        { title: 'CHANGED' },
        { title: '' },
      ],
      page.items.map((item) => [
        { text: item.handle, tone: 'bold' },
        { text: item.fields.map(({ name }) => name).join(', ') },
        { text: item.bindings.map(({ service }) => service).join(', ') },
        { text: formatAge(item.updatedAt, now()), tone: 'dim' },
        { text: item.sealedAt == null ? '' : 'sealed', tone: 'warn' },
      ]),
    );
  }
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

/** `fairlead locker show <handle>`. */
export async function showItem(context: CliContext, handle: string): Promise<number> {
  const { path } = readItemHandle(handle);
  printItem(context, await connectToLocker(context).call(itemReply, { method: 'GET', path: path() }));
  return exitCode('ok');
}

interface PutOptions {
  readonly secret: readonly string[];
  readonly remove: readonly string[];
  /** False takes it away. */
  readonly alias?: string | false;
}

/** `fairlead locker put <handle>`: values of secrets come from a prompt or stdin, never from the command line. */
export async function putItem(
  context: CliContext,
  handle: string,
  assignments: readonly string[],
  { secret, remove, alias }: PutOptions,
): Promise<number> {
  const { output } = context;
  const { path } = readItemHandle(handle);
  const plain = Object.entries(parseAssignments(assignments, 'locker put'));
  if (plain.length + secret.length + remove.length === 0 && alias === undefined) {
    throw usageFailure(
      'No field was given.',
      'Give --secret <FIELD> for a secret, or FIELD=VALUE for what may be seen.',
    );
  }
  const secrets = Object.entries(await readSecrets(secret, context.terminal));
  for (const [name] of plain) {
    if (isSensitiveName(name))
      output.note(`Members of the org see ${name}. To hide it: \`fairlead locker put ${handle} --secret ${name}\``);
  }
  const fields = [
    ...plain.map(([name, value]) => ({ name, value, secret: false })),
    ...secrets.map(([name, value]) => ({ name, value, secret: true })),
  ];
  const body = { fields, removeFields: remove, ...given({ legacyAlias: alias === false ? null : alias }) };
  const stored = await connectToLocker(context).call(itemReply, { method: 'PATCH', path: path(), body });
  output.document(stored);
  if (output.quiet) output.print(stored.handle);
  else
    output.print(`Stored ${output.paint('bold', stored.handle)}: ${stored.fields.map(({ name }) => name).join(', ')}`);
  if (stored.bindings.length > 0)
    output.note(
      `Services have copies of earlier values: run \`fairlead config set --secret <KEY> --from-locker ${handle}\` again for each.`,
    );
  return exitCode('ok');
}

/** `fairlead locker bind <handle>`: the service is named to the locker by its id. */
export async function bindItem(
  context: CliContext,
  handle: string,
  options: { readonly service?: string },
): Promise<number> {
  const { output } = context;
  const { path, owner } = readItemHandle(handle);
  const name = await serviceName(context, options.service);
  const service = await context.api.call(serviceIdReply, { method: 'GET', path: pathOf('services', name) });
  if (owner !== PERSONAL_OWNER && service.org !== undefined && service.org !== owner) {
    throw usageFailure(
      `${service.name} belongs to ${service.org}, and the locker of ${owner} never gives it a value.`,
      `Put the item there: \`fairlead locker put ${handle.replace(`//${owner}/`, `//${service.org}/`)} --secret <FIELD>\``,
    );
  }
  const bound = await connectToLocker(context).call(itemReply, {
    method: 'PUT',
    path: path('bindings', service.id),
    body: { service: service.name },
  });
  output.document(bound);
  if (output.quiet) output.print(bound.handle);
  else output.print(`Bound ${output.paint('bold', bound.handle)} to ${service.name}`);
  output.note(
    `To copy a value: \`fairlead config set --secret <KEY> --from-locker ${handle} --service ${service.name}\``,
  );
  return exitCode('ok');
}

/** `fairlead locker unbind <handle>`: by the name it was bound under, or the id, so also for a service that is gone. */
export async function unbindItem(
  context: CliContext,
  handle: string,
  options: { readonly service?: string },
): Promise<number> {
  const { output } = context;
  const { path } = readItemHandle(handle);
  const locker = connectToLocker(context);
  const name = await serviceName(context, options.service);
  const item = await locker.call(itemReply, { method: 'GET', path: path() });
  const found = item.bindings.filter(({ service, serviceId }) => service === name || serviceId === name);
  if (found.length === 0) {
    throw new CliFailure('NOT_BOUND', `${handle} is not bound to ${name}.`, { exit: 'notFound' });
  }
  let unbound = item;
  for (const { serviceId } of found) {
    unbound = await locker.call(itemReply, { method: 'DELETE', path: path('bindings', serviceId) });
  }
  output.document(unbound);
  if (output.quiet) output.print(unbound.handle);
  else
    output.print(
      `${output.paint('bold', unbound.handle)} is not bound to ${name} any more; values that it was given stay with it`,
    );
  return exitCode('ok');
}

/** `fairlead locker seal <handle>`. */
export async function sealItem(context: CliContext, handle: string, options: { yes?: boolean }): Promise<number> {
  const { output } = context;
  const { path } = readItemHandle(handle);
  const effect = `Sealing ${handle} keeps all its values in the locker. Only new values for every field undo it.`;
  await confirm(context, options, { text: effect, command: `locker seal ${handle}` });
  const sealed = await connectToLocker(context).call(itemReply, { method: 'POST', path: path('seal'), body: {} });
  output.document(sealed);
  output.print(output.quiet ? sealed.handle : `Sealed ${output.paint('bold', sealed.handle)}`);
  return exitCode('ok');
}

/** `fairlead locker remove <handle>`. */
export async function removeItem(context: CliContext, handle: string, options: { yes?: boolean }): Promise<number> {
  const { output } = context;
  const { path } = readItemHandle(handle);
  const effect = `Removing ${handle} forgets its values. Services keep the copies that they were given.`;
  await confirm(context, options, { text: effect, command: `locker remove ${handle}` });
  const removed = await connectToLocker(context).call(removedReply, { method: 'DELETE', path: path() });
  output.document(removed);
  output.print(output.quiet ? removed.handle : `Removed ${output.paint('bold', removed.handle)}`);
  return exitCode('ok');
}

/** `fairlead locker read <handle>`: a value of your own on stdout, as it is. */
export async function readOwn(context: CliContext, handle: string): Promise<number> {
  const { owner, vault, item, field } = readHandle(handle);
  if (owner !== 'me') {
    throw usageFailure(
      'Only what is your own can be read: lk://me/…',
      'A service gets values of an org: `fairlead locker bind`',
    );
  }
  const path = lockerPath(owner, 'vaults', vault, 'items', item, 'values');
  const { values } = await connectToLocker(context).call(valuesReply, { method: 'GET', path });
  const found = field === null && values.length === 1 ? values[0] : values.find(({ name }) => name === field);
  if (found === undefined) {
    throw usageFailure(
      'Name the field.',
      `It is one of ${values.map(({ name }) => `${handle.split('/', 5).join('/')}/${name}`).join(', ')}`,
    );
  }
  context.output.document({ handle, name: found.name, value: found.value });
  context.output.print(found.value);
  return exitCode('ok');
}

function printItem({ output, now }: CliContext, item: ItemReply): void {
  output.document(item);
  if (output.quiet) {
    output.print(item.handle);
    return;
  }
  printFields(output, [
    ['Item', output.paint('bold', item.handle)],
    ...item.fields.map(({ name, value = '' }) => [name, value] as const),
    ['Services', item.bindings.map(({ service }) => service).join(', ') || 'none'],
    ['Legacy alias', item.legacyAlias ?? 'none'],
    ['Sealed', item.sealedAt == null ? 'no' : formatAge(item.sealedAt, now())],
    ['Changed', `${formatAge(item.updatedAt, now())} by ${item.updatedBy ?? 'somebody'}`],
  ]);
}

const putExample = (owner: string): string => `fairlead locker put lk://${owner}/main/stripe --secret api-key`;
