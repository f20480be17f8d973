import { z } from 'zod';
import { HIDDEN_SECRET } from '../../domain/config/sealed-secret.ts';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { secretsOf } from '../../domain/monitors/check-headers.ts';
import {
  type CheckSecret,
  MOST_SECRETS,
  type OrgSecrets,
  withoutSecret,
  withSecret,
} from '../../domain/monitors/check-secret.ts';
import { checkSecretSchema, checkSecretViewSchema, secretNameSchema } from '../../domain/monitors/header-schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { MonitorsDeps } from './deps.ts';
import { ACTORS, ownerOf } from './monitor-callers.ts';
import { recordChange } from './record-change.ts';
import { SECRETS_PATH } from './require-sendable.ts';

const tag = 'monitors';
const query = z.strictObject({
  org: orgSlugSchema.optional().describe('For the platform: of this org; its own when left out'),
});
const params = z.strictObject({ name: secretNameSchema });

/** What checks send that nobody may read. */
export function secretRoutes(deps: MonitorsDeps): readonly Route[] {
  return [listRoute(deps), setRoute(deps), removeRoute(deps)];
}

function listRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'get',
    path: SECRETS_PATH,
    summary: 'Secrets that the checks of an org may send: their names and hosts, and no value',
    tag,
    callers: ACTORS,
    query,
    responses: {
      200: {
        description: `At most ${MOST_SECRETS}, by name`,
        schema: z.object({ items: z.array(checkSecretViewSchema) }),
      },
    },
    handle: async ({ query: { org: asked } }, { caller }) => {
      const org = ownerOf(caller, asked, deps.platformOrg);
      const [{ secrets }, users] = await Promise.all([deps.checkSecrets.find(org), usersOf(deps, org)]);
      const items = secrets.map((secret) => secretView(secret, users.get(secret.name)?.length ?? 0));
      return { status: 200, data: { items } };
    },
  });
}

function setRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'put',
    path: `${SECRETS_PATH}/:name`,
    summary: 'Sets a secret that checks may send, or replaces it: its value and its hosts together',
    description: `The value is kept sealed, shown in no reply, and sent to the hosts that are named here alone, by https; to an address of the \
platform by plain http as well. Checks send another value within seconds. An org has at most ${MOST_SECRETS}.`,
    tag,
    callers: ACTORS,
    query,
    params,
    body: checkSecretSchema,
    responses: { 200: { description: 'The secret, without its value', schema: checkSecretViewSchema } },
    errors: ['CONFLICT'],
    handle: async ({ query: { org: asked }, params: { name }, body: { value, hosts } }, context) => {
      const { caller } = context;
      const org = ownerOf(caller, asked, deps.platformOrg);
      const sealed = deps.sealForChecks(org, { name, hosts }, value);
      const secret: CheckSecret = { name, hosts, sealed, setAt: deps.now(), setBy: caller.name };
      const withIt = (known: OrgSecrets): OrgSecrets => {
        const next = withSecret(known, secret);
        if (next !== null) return next;
        throw new FairleadError('CONFLICT', `${org} has ${MOST_SECRETS} secrets of checks already: remove one first.`);
      };
      // What has no room is not recorded as set.
      withIt(await deps.checkSecrets.find(org));
      const facts = { type: 'monitor.secret_set', subject: `${org}/${name}`, orgSlug: org, data: { name, hosts } };
      await recordChange(deps, context, caller, facts);
      await changeSecrets(deps, org, withIt);
      const users = await usersOf(deps, org);
      return { status: 200, data: secretView(secret, users.get(name)?.length ?? 0) };
    },
  });
}

function removeRoute(deps: MonitorsDeps): Route {
  return defineRoute({
    method: 'delete',
    path: `${SECRETS_PATH}/:name`,
    summary: 'Removes a secret that no check sends',
    tag,
    callers: ACTORS,
    query,
    params,
    responses: { 200: { description: 'The secret that is gone', schema: checkSecretViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ query: { org: asked }, params: { name } }, context) => {
      const { caller } = context;
      const org = ownerOf(caller, asked, deps.platformOrg);
      const secret = (await deps.checkSecrets.find(org)).secrets.find((each) => each.name === name);
      if (secret === undefined)
        throw new FairleadError('NOT_FOUND', `${org} has no secret ${name}; GET ${SECRETS_PATH} lists them`);
      requireUnused(name, (await usersOf(deps, org)).get(name) ?? []);
      const facts = { type: 'monitor.secret_removed', subject: `${org}/${name}`, orgSlug: org, data: { name } };
      await recordChange(deps, context, caller, facts);
      await changeSecrets(deps, org, (known) => withoutSecret(known, name));
      return { status: 200, data: secretView(secret, 0) };
    },
  });
}

function secretView({ name, hosts, setAt, setBy }: CheckSecret, usedBy: number): z.input<typeof checkSecretViewSchema> {
  return { name, value: HIDDEN_SECRET, hosts: [...hosts], usedBy, setAt: setAt.toISOString(), setBy };
}

/** Names of the monitors that send a secret, by its name; those that are archived as well are not among them. */
async function usersOf({ monitors }: MonitorsDeps, org: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const users = new Map<string, string[]>();
  for await (const { serviceName, check } of eachItem((page) => monitors.list({ org, archived: false }, page))) {
    if (check.kind !== 'http') continue;
    for (const name of secretsOf(check.headers)) users.set(name, [...(users.get(name) ?? []), serviceName]);
  }
  return users;
}

const NAMED = 5;

/** @throws CONFLICT */
function requireUnused(name: string, users: readonly string[]): void {
  if (users.length === 0) return;
  const more = users.length > NAMED ? ` and ${users.length - NAMED} more` : '';
  const message = `Checks send ${name}: those of ${users.slice(0, NAMED).join(', ')}${more}. Change their headers first`;
  throw new FairleadError('CONFLICT', message);
}

/** More at once in one org than this is nobody's work. */
const ATTEMPTS = 8;

/** Changes the secrets of an org as they are by now. @throws CONFLICT (retryable), what `change` throws, UNAVAILABLE */
async function changeSecrets(
  { checkSecrets }: Pick<MonitorsDeps, 'checkSecrets'>,
  org: string,
  change: (known: OrgSecrets) => OrgSecrets,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (await checkSecrets.write(change(await checkSecrets.find(org)))) return;
  }
  throw new FairleadError('CONFLICT', `Others are changing the secrets of ${org}; try again`, { retryable: true });
}
