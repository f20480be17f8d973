import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { REF_KINDS } from '../../domain/git-hooks/rule.ts';
import { type FormContext, field, select } from '../look/forms.ts';
import type { RuleView } from './connection-words.ts';

/** Fields of a form that writes one rule. Named as in the API's body, so that what it says stands at the field. */
export const PATTERN_FIELD = 'rules.0.pattern';

export const ruleBody = {
  'rules.0.kind': z.enum(REF_KINDS),
  [PATTERN_FIELD]: z.string().trim().max(255),
  'rules.0.environment': z.enum(ENVIRONMENTS),
  paths: z.string().max(20_000).default(''),
} as const;

/** @param hint about the name, below the row, so that its fields stand in one line */
export function ruleFields(own: FormContext, hint: string, required: boolean): Html {
  return html`<div class="field-row">${select(own, {
    ...{ name: 'rules.0.kind', label: 'Pushes to a' },
    choices: REF_KINDS.map((kind) => [kind, kind] as const),
  })}
${field(own, { name: PATTERN_FIELD, label: 'Name or pattern', mono: true, required, placeholder: 'release/*' })}
${select(own, {
  ...{ name: 'rules.0.environment', label: 'Deploy to', value: 'prod' },
  choices: ENVIRONMENTS.map((environment) => [environment, environment] as const),
})}</div>
<div class="field"><p class="hint">${hint}</p></div>
${field(own, { name: 'paths', label: 'Watched paths', rows: 2, mono: true, hint: 'One a line, such as services/api/**, or !docs/** to leave paths out. None: every change deploys.' })}`;
}

/** The rule as the API takes it; null when none was typed. */
export function typedRule(body: z.output<z.ZodObject<typeof ruleBody>>): RuleView | null {
  if (body[PATTERN_FIELD] === '') return null;
  return {
    kind: body['rules.0.kind'],
    pattern: body[PATTERN_FIELD],
    environment: body['rules.0.environment'],
    paths: body.paths
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
}
