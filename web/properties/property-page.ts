import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { domainSchema, propertyWithTimelineSchema } from '../../domain/properties/schema.ts';
import { isUnderWay } from '../../domain/properties/verification.ts';
import { pollRegions } from '../live/poll.ts';
import { card, liveRegion } from '../look/components.ts';
import { form } from '../look/forms.ts';
import { definePage, type PageContext } from '../page.ts';
import { about, ignoreCard, notices, ownersCard, recordCard, type ShownProperty, timeline } from './property-parts.ts';
import { verificationSteps } from './verification-steps.ts';
import { CALLERS, PATH, propertyApi, propertyPath, stateBadge, waitsForRecord } from './words.ts';

export const propertyParams = z.strictObject({ domain: domainSchema });
const LOOK_MS = 3_000;

type Context = PageContext<z.output<typeof propertyParams>>;

const load = ({ platform, params: { domain } }: Context): Promise<ShownProperty> =>
  platform.get('site-registry', propertyApi(domain), propertyWithTimelineSchema);

/** One Property: how far its verification is, the record that a person sets, and what happened to it. */
export const propertyPage = definePage({
  module: 'properties',
  path: `${PATH}/:domain`,
  summary: 'One domain: its verification, the record to set, its owners',
  tab: { of: 'property', label: 'Verification', order: 0 },
  callers: CALLERS,
  params: propertyParams,
  load,
  people: ({ ignored }) => ({ ids: [ignored?.actor ?? null] }),
  view: (property, context) => ({
    title: property.domain,
    crumbs: [['Properties', PATH]],
    beside: liveRegion('status', stateBadge(property), 'polite'),
    buttons: liveRegion('buttons', buttons(property, context)),
    body: html`<div class="columns"><div>${liveRegion('verification', verification(property, context))}
${card({ title: 'What happened', flush: true }, liveRegion('timeline', timeline(property)))}</div>
<div>${card({ title: 'About' }, liveRegion('about', about(property, context)))}${ownersCard(property, context)}${ignoreCard(property, context)}</div></div>`,
  }),
  live: (context) =>
    pollRegions(context, LOOK_MS, async () => {
      const property = await load(context);
      return {
        status: stateBadge(property),
        buttons: buttons(property, context),
        verification: verification(property, context),
        timeline: timeline(property),
        about: about(property, context),
      };
    }),
});

function verification(property: ShownProperty, context: Context): Html {
  return html`${notices(property)}${recordCard(property, context)}
${card({ title: 'Verification', flush: true }, verificationSteps(property))}`;
}

/** A run may begin from every state; one that is under way is not begun again. */
function buttons(property: ShownProperty, context: Context): Html {
  if (property.ignored !== null || isUnderWay(property)) return html``;
  const isPrimary = property.status !== 'verified' && !waitsForRecord(property);
  const button = { verified: 'Check again', error: 'Verify once more', unverified: 'Verify', ignored: '' };
  return form(context, {
    action: propertyPath(property.domain, 'verify'),
    ...{ button: button[property.status], icon: 'shield', tone: isPrimary ? 'primary' : 'plain' },
  });
}
