import { z } from 'zod';
import type { RouteContext } from '../../api/http/define-route.ts';
import type { SignInCookies } from '../../api/http/sign-in/sign-in-cookies.ts';
import type { FormOutcome } from '../page.ts';
import type { CookieSeal } from './cookie-seal.ts';
import type { ConsoleCookie } from './sessions.ts';

/** What a form said, kept in the browser until the next page has shown it. */
export interface Outcomes {
  /** The cookie that carries it to the page at `to`. */
  write(sessionId: string, to: string, outcome: FormOutcome): string;
  /** Null for a page that it is not for. */
  read(sessionId: string, path: string, context: Pick<RouteContext, 'cookies'>): FormOutcome | null;
  readonly forget: string;
}

const SECONDS = 60;
/** Of what was typed; a longer text is typed again. */
const MAX_VALUES = 1_500;
const MAX_TEXT = 600;

const texts = z.record(z.string(), z.string());
const schema = z.object({
  path: z.string(),
  outcome: z.object({
    kind: z.enum(['done', 'failed']),
    action: z.string(),
    text: z.string(),
    values: texts,
    errors: texts,
  }),
});

export function createOutcomes(seal: CookieSeal, cookies: SignInCookies<ConsoleCookie>): Outcomes {
  const purpose = (sessionId: string): string => `outcome of ${sessionId}`;
  return {
    forget: cookies.clear('notice'),
    write: (sessionId, to, outcome) => {
      const content = { path: pathOnly(to), outcome: shortened(outcome) };
      return cookies.write('notice', seal.seal(purpose(sessionId), content), SECONDS);
    },
    read: (sessionId, path, context) => {
      const text = cookies.read('notice', context);
      const kept = text === null ? null : seal.open(purpose(sessionId), text, schema);
      return kept !== null && kept.path === pathOnly(path) ? kept.outcome : null;
    },
  };
}

function pathOnly(path: string): string {
  return path.replace(/[?#].*$/, '');
}

/** A cookie holds 4 KiB. */
function shortened({ text, values, errors, ...rest }: FormOutcome): FormOutcome {
  const fits = (fields: FormOutcome['values']) => JSON.stringify(fields).length <= MAX_VALUES;
  return {
    ...rest,
    text: text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`,
    values: fits(values) ? values : {},
    errors: fits(errors) ? errors : {},
  };
}
