import { z } from 'zod';
import {
  type EscalationPolicy,
  MOST_REPEATS,
  MOST_STEPS,
  MOST_WAIT_MINUTES,
} from '../../../domain/notifications/escalation.ts';
import { nameChannels } from '../../../domain/notifications/escalation-reply.ts';
import type { Channel } from '../../../domain/notifications/notification.ts';
import { escalationPolicySchema } from '../../../domain/notifications/schema.ts';
import { orgSlugSchema } from '../../../domain/org-slug.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { validate } from '../../http/validate.ts';

const STEPS = Array.from({ length: MOST_STEPS }, (_, index) => index + 1);
/** What a new step is offered with. */
const USUAL_WAIT_MINUTES = 10;

/** Fields of one name come as text where there is one, and as a list where there are more. */
const chosen = z
  .union([z.string(), z.array(z.string())])
  .transform((one) => [one].flat())
  .optional();
const minutes = z.union([z.literal('').transform(() => undefined), z.coerce.number()]).optional();

/** `channels1`, `wait2` and so on. */
const fieldsOfSteps: Readonly<Record<never, never>> = Object.fromEntries(
  STEPS.flatMap((step) => [
    [`channels${step}`, chosen],
    [`wait${step}`, minutes],
  ]),
);

/** As the form sends it. */
export const escalationForm = z.strictObject({
  ...fieldsOfSteps,
  org: orgSlugSchema.optional(),
  repeatTimes: minutes,
  repeatAfter: minutes,
});

/** The policy that a form says: steps without a channel are none. @throws VALIDATION_FAILED */
export function policyOf(form: z.output<typeof escalationForm>): EscalationPolicy {
  const fields: Readonly<Record<string, unknown>> = form;
  const named = STEPS.map((step) => ({ channelIds: fields[`channels${step}`], waitMinutes: fields[`wait${step}`] }));
  const steps = named
    .filter(({ channelIds }) => channelIds !== undefined)
    .map((step, index) => (index === 0 ? { ...step, waitMinutes: 0 } : step));
  const { repeatTimes = 0, repeatAfter } = form;
  const repeat = repeatTimes === 0 ? null : { times: repeatTimes, waitMinutes: repeatAfter };
  return validate(escalationPolicySchema, { steps, repeat }, 'the form');
}

/** A form of a policy, which works without JavaScript: a step more is one that has channels. */
export function escalationFields(policy: EscalationPolicy | null, channels: readonly Channel[]): Html {
  const told = channels.filter(({ state }) => state !== 'stopped');
  if (told.length === 0) {
    return html`<p>There is no channel that could be told. Add one first: <code>fairlead alerts add &lt;address&gt;</code></p>`;
  }
  const { repeat = null } = policy ?? {};
  return html`${STEPS.map((step) => stepFields(step, policy, told))}
<fieldset><legend>All of it once more</legend>
${numberField('repeatTimes', 'How often', { value: repeat?.times ?? 0, min: 0, max: MOST_REPEATS })}
${numberField('repeatAfter', 'Minutes after the last step', { value: repeat?.waitMinutes ?? 30, min: 1, max: MOST_WAIT_MINUTES })}
</fieldset>
<button>Save</button>`;
}

function stepFields(step: number, policy: EscalationPolicy | null, channels: readonly Channel[]): Html {
  const known = policy?.steps[step - 1];
  const nameOf = nameChannels(channels, true);
  const boxes = channels.map(({ id }) => {
    const { kind, where, state } = nameOf(id);
    const field = `channels${step}-${id}`;
    return html`<div class="check"><input type="checkbox" id="${field}" name="channels${step}" value="${id}"${known?.channelIds.includes(id) === true && html` checked`}>
<label for="${field}">${kind ?? ''} ${where ?? id}${state !== 'active' && ` (${state})`}</label></div>`;
  });
  const wait = known?.waitMinutes ?? USUAL_WAIT_MINUTES;
  return html`<fieldset><legend>${step === 1 ? 'Step 1, at once' : `Step ${step}`}</legend>
${step > 1 && numberField(`wait${step}`, 'Minutes after the step before', { value: wait, min: 1, max: MOST_WAIT_MINUTES })}
${boxes}</fieldset>`;
}

function numberField(
  name: string,
  label: string,
  { value, min, max }: { readonly value: number; readonly min: number; readonly max: number },
): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="number" inputmode="numeric" min="${min}" max="${max}" value="${value}"></div>`;
}
