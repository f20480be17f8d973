import { z } from 'zod';
import { admits } from '../api/http/allowed-callers.ts';
import { defineRoute, type Reply, type Route, type RouteContext } from '../api/http/define-route.ts';
import { PAGE_RESPONSES } from '../api/http/pages/page-responses.ts';
import { redirectTo } from '../api/http/pages/send-page.ts';
import { validate } from '../api/http/validate.ts';
import { FairleadError } from '../domain/errors.ts';
import type { ShellDeps } from './deps.ts';
import { errorDocument } from './error-page.ts';
import { CSRF_FIELD } from './look/forms.ts';
import type { Action, FormOutcome, PageView } from './page.ts';
import { pageDocument } from './page-document.ts';
import { sendDocument } from './respond.ts';
import { requireOwnForm } from './session/csrf.ts';
import type { Session } from './session/sessions.ts';

/** The route of a form: checked to be of our own page and session, done as the person, and then sent on to a page. */
export function actionRoute(shell: ShellDeps, action: Action): Route {
  return defineRoute({
    method: 'post',
    path: action.path,
    summary: action.summary,
    description: `A form of the console's own pages, with the field \`${CSRF_FIELD}\`.`,
    tag: action.module,
    callers: 'public',
    replies: 'page',
    responses: PAGE_RESPONSES,
    errors: ['CSRF_REFUSED', 'FORBIDDEN', 'ORIGIN_REFUSED', 'UNAUTHORIZED', 'UNAVAILABLE'],
    params: action.params,
    bodyTypes: ['form'],
    body: z.looseObject({}),
    handle: async ({ params, body }, context) => {
      const session = await shell.sessions.open(context);
      if (session === null)
        throw new FairleadError('UNAUTHORIZED', 'You are not signed in: sign in, and send the form again');
      try {
        const { [CSRF_FIELD]: presented, ...fields } = body as Readonly<Record<string, unknown>>;
        requireOwnForm(context, { presented, expected: session.csrf, origin: shell.origin });
        if (!admits(action.callers, session.person)) {
          throw new FairleadError('FORBIDDEN', 'Your role does not include this');
        }
        return await perform(shell, action, { session, params, fields, context });
      } catch (error) {
        if (!(error instanceof FairleadError)) throw error;
        return sendDocument(errorDocument(shell, error, { session, context, page: null }));
      }
    },
  });
}

interface Submission {
  readonly session: Session;
  readonly params: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly context: RouteContext;
}

/** What is done is told on the next page; so is what failed, on the page with the form. @throws UNAUTHORIZED */
async function perform(shell: ShellDeps, action: Action, submission: Submission): Promise<Reply> {
  const { session, params, fields, context } = submission;
  const sendOn = (to: string, outcome: FormOutcome | null): Reply => {
    const told = outcome === null ? [] : [shell.outcomes.write(session.id, to, outcome)];
    return redirectTo(to, [...session.cookies(), ...told]);
  };
  try {
    const done = await action.run({
      params,
      body: validate(action.body, fields, 'body') as Readonly<Record<string, unknown>>,
      ...{ person: session.person, csrf: session.csrf },
      platform: shell.platformAs(session),
      now: shell.now,
      log: context.log,
    });
    if ('shown' in done) return show(shell, done.shown, submission);
    if (done.renew === true) await session.token(await session.token());
    const { to, notice: text } = done;
    return sendOn(to, text === undefined ? null : { kind: 'done', action: context.url, text, values: {}, errors: {} });
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code === 'UNAUTHORIZED') throw error;
    return sendOn(action.back(params), failedOutcome(action, error, submission));
  }
}

function show(shell: ShellDeps, view: PageView, { session, params, context }: Submission): Reply {
  const parts = { page: null, session, params, view, outcome: null, url: context.url };
  return sendDocument({ document: pageDocument(shell, parts), cookies: session.cookies() });
}

function failedOutcome({ secrets = [] }: Action, error: FairleadError, { fields, context }: Submission): FormOutcome {
  const typed = Object.entries(fields).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && !secrets.includes(entry[0]),
  );
  return {
    ...{ kind: 'failed', action: context.url, text: `${error.message}.`.replace(/\.\.$/, '.') },
    values: Object.fromEntries(typed),
    errors: fieldErrors(error.details),
  };
}

const detailsSchema = z.array(z.object({ field: z.string(), message: z.string() }));

/** What the platform says of single fields, by their names. */
function fieldErrors(details: unknown): Readonly<Record<string, string>> {
  const parsed = detailsSchema.safeParse(details);
  return Object.fromEntries((parsed.data ?? []).map(({ field, message }) => [field, message]));
}
