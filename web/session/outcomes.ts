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
/** A browser drops a cookie of more than 4 KiB, with its name and attributes. */
const MAX_LENGTH = 3_800;
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
      const sealed = (kept: FormOutcome) => seal.seal(purpose(sessionId), { path: pathOnly(to), outcome: kept });
      const short = { ...outcome, text: cut(outcome.text) };
      const whole = sealed(short);
      // What failed is said in any case; a long text is typed again.
      const fits = whole.length <= MAX_LENGTH;
      return cookies.write('notice', fits ? whole : sealed({ ...short, values: {}, errors: {} }), SECONDS);
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

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
