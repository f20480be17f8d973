import { z } from 'zod';
import {
  type DomainView,
  domainNameSchema,
  domainViewSchema,
  removedDomainSchema,
} from '../../domain/custom-domains/domain-schema.ts';
import { DOMAIN_MODES } from '../../domain/custom-domains/mode.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { MEMBERS } from '../members.ts';
import { type Action, type ActionContext, type ActionDone, defineAction } from '../page.ts';
import { domainParams, readDomain } from './domain-page.ts';
import { serviceParams } from './domains-page.ts';
import { type AskAgain, recordsInTheWay, takenName } from './refused-add.ts';
import { domainApi, domainPath, domainsPath, partsOf, sentence, withoutProofs } from './words.ts';

/** What the platform does while its caller waits: it asks DNS servers, and the DNS provider. */
const WAIT_MS = 30_000;

const marked = z.literal('on').optional();
const addBody = z.strictObject({
  domain: z.string().trim().pipe(domainNameSchema),
  environment: environmentSchema,
  mode: z.enum(DOMAIN_MODES),
  canonical: marked,
  hsts: marked,
  /** The records that were shown, and may be replaced: no others are. */
  replaces: z.string().max(10_000).optional(),
});

type AddContext = ActionContext<z.output<typeof serviceParams>, z.output<typeof addBody>>;

const addDomain = defineAction({
  module: 'custom-domains',
  path: '/services/:name/domains/add',
  summary: 'Adds a domain; a record in its way is shown before it is replaced',
  callers: MEMBERS,
  params: serviceParams,
  body: addBody,
  back: ({ name }) => `${domainsPath(name)}#add`,
  run: async (context) => {
    try {
      return added(await sendAdd(context, false));
    } catch (error) {
      if (!(error instanceof FairleadError)) throw error;
      return await onRefusal(context, error);
    }
  },
});

async function sendAdd({ platform, params, body }: AddContext, overwriteExistingRecord: boolean): Promise<DomainView> {
  const { domain, environment, mode, canonical, hsts } = body;
  const said = { ...(canonical === 'on' && { canonical: true }), ...(hsts === 'on' && { hsts: true }) };
  return await platform.send('builder', 'POST', '/domains/add', domainViewSchema, {
    body: { service: params.name, environment, domain, mode, overwriteExistingRecord, ...said },
    waitMs: WAIT_MS,
  });
}

function added({ service, domain, replacedRecord }: DomainView): ActionDone {
  const { type = '', content = '' } = replacedRecord ?? {};
  const replaced = replacedRecord === null ? '' : ` It took the place of ${type} ${content}.`;
  return { to: domainPath(service, domain), notice: `${domain} is added.${replaced}` };
}

/** What people have to see before they go on has a page of its own. @throws any other refusal */
async function onRefusal(context: AddContext, refusal: FairleadError): Promise<ActionDone> {
  const { params, body, csrf } = context;
  const { replaces, ...fields } = body;
  const again: AskAgain = { csrf, service: params.name, fields };
  if (refusal.code === 'DNS_RECORD_EXISTS') {
    const inTheWay = recordsInTheWay(refusal, again);
    // What stands there now is what was shown: it is replaced.
    if (inTheWay.key === replaces) return added(await sendAdd(context, true));
    return { shown: inTheWay.page };
  }
  const taken = refusal.code === 'DOMAIN_TAKEN' ? takenName(refusal, again) : null;
  if (taken === null) throw refusal;
  return { shown: taken };
}

const verifyDomain = defineAction({
  module: 'custom-domains',
  path: '/services/:name/domains/:domain/verify',
  summary: 'Looks at a domain now',
  callers: MEMBERS,
  params: domainParams,
  back: ({ name, domain }) => domainPath(name, domain),
  run: async ({ platform, params: { name, domain } }) => {
    await readDomain({ platform, name, domain });
    const path = domainApi(domain, 'verify');
    const looked = await platform.send('builder', 'POST', path, domainViewSchema, { waitMs: WAIT_MS });
    return { to: domainPath(name, domain), notice: toldOf(looked) };
  },
});

function toldOf(looked: DomainView): string {
  const { domain, state, reason } = looked;
  if (state === 'active' && reason === null) return `${domain} was looked at: it is served.`;
  return `${domain} was looked at. ${sentence(reason === null ? 'it is not served yet' : withoutProofs(partsOf(reason).what, looked))}`;
}

const removeDomain = defineAction({
  module: 'custom-domains',
  path: '/services/:name/domains/:domain/remove',
  summary: 'Takes a domain away from its service',
  callers: MEMBERS,
  params: domainParams,
  back: ({ name, domain }) => domainPath(name, domain),
  run: async ({ platform, params: { name, domain } }) => {
    await readDomain({ platform, name, domain });
    const removed = await platform.send('builder', 'DELETE', domainApi(domain), removedDomainSchema, {
      waitMs: WAIT_MS,
    });
    const how = removed.state === 'removed' ? 'is removed' : 'is being removed, which goes on by itself';
    return { to: domainsPath(name), notice: `${removed.domain} ${how}.` };
  },
});

export const domainActions: readonly Action[] = [addDomain, verifyDomain, removeDomain];
