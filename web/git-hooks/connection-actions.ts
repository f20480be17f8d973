import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import {
  acceptedReplySchema,
  type ConnectionView,
  connectedReplySchema,
  connectionViewSchema,
} from '../../domain/git-hooks/git-hook-schema.ts';
import { visibleText } from '../look/visible-text.ts';
import { type Action, defineAction } from '../page.ts';
import type { Platform } from '../platform/platform.ts';
import { answerOf } from './connect-action.ts';
import { connectionApi, connectionPath, PATH, READERS, type RuleView, sentence, WRITERS } from './connection-words.ts';
import { ruleBody, typedRule } from './rule-fields.ts';

export const params = z.strictObject({ id: z.string().min(1).max(64) });
const row = { module: 'git-hooks', callers: WRITERS, params } as const;
const back = ({ id }: { readonly id: string }): string => connectionPath(id);

const change = (platform: Platform, id: string, body: object) =>
  platform.send('builder', 'PATCH', connectionApi(id), connectedReplySchema, { body });

const pausing = [true, false].map((paused) =>
  defineAction({
    ...row,
    path: `${PATH}/:id/${paused ? 'pause' : 'resume'}`,
    summary: paused ? 'Pauses a connection' : 'Has a connection deploy again',
    back,
    run: async ({ platform, params: { id } }) => {
      await change(platform, id, { paused });
      const notice = paused
        ? 'Pushes deploy nothing now.'
        : 'Pushes deploy again. Look now for what was pushed meanwhile.';
      return { to: connectionPath(id), notice };
    },
  }),
);

const poll = defineAction({
  ...row,
  path: `${PATH}/:id/poll`,
  summary: 'Has the repository polled, or no more',
  body: z.object({ pollMinutes: z.string().trim().max(10) }),
  back,
  run: async ({ platform, params: { id }, body }) => {
    const pollMinutes = body.pollMinutes === '' ? null : Number(body.pollMinutes);
    await change(platform, id, { pollMinutes });
    const notice =
      pollMinutes === null ? 'It is not polled any more.' : `It is looked at every ${pollMinutes} minutes.`;
    return { to: connectionPath(id), notice };
  },
});

const token = defineAction({
  ...row,
  path: `${PATH}/:id/token`,
  summary: 'Replaces the API token of a connection',
  body: z.object({ token: z.string().trim().max(500) }),
  secrets: ['token'],
  back,
  run: async ({ platform, params: { id }, body }) =>
    answerOf(await change(platform, id, body), 'The token is replaced.'),
});

const removeToken = defineAction({
  ...row,
  path: `${PATH}/:id/token/remove`,
  summary: 'Takes the API token of a connection away',
  back,
  run: async ({ platform, params: { id } }) => {
    await change(platform, id, { token: null });
    return { to: connectionPath(id), notice: 'The token is gone.' };
  },
});

const rotate = defineAction({
  ...row,
  path: `${PATH}/:id/rotate`,
  summary: 'Makes a second secret, which is shown this once',
  back,
  run: async ({ platform, params: { id } }) => {
    const reply = await platform.send('builder', 'POST', connectionApi(id, 'rotate'), connectedReplySchema, {
      body: {},
    });
    return answerOf(reply, 'There is a second secret.');
  },
});

const finish = defineAction({
  ...row,
  path: `${PATH}/:id/rotate/finish`,
  summary: 'Takes the older secret away',
  back,
  run: async ({ platform, params: { id } }) => {
    const body = { finish: true };
    await platform.send('builder', 'POST', connectionApi(id, 'rotate'), connectedReplySchema, { body });
    return { to: connectionPath(id), notice: 'The older secret is gone.' };
  },
});

const look = defineAction({
  ...row,
  callers: READERS,
  path: `${PATH}/:id/look`,
  summary: 'Looks at a branch or tag, or all that rules match',
  body: z.object({ ref: z.string().trim().max(300).default('') }),
  back,
  run: async ({ platform, params: { id }, body: { ref } }) => {
    const body = ref === '' ? {} : { ref };
    await platform.send('builder', 'POST', connectionApi(id, 'look'), acceptedReplySchema, { body });
    return { to: connectionPath(id), notice: 'It is looked at. What became of it stands below.' };
  },
});

const serviceParams = params.extend({ service: z.string().min(1).max(64) });

async function replaceRules(
  platform: Platform,
  { id, service }: z.output<typeof serviceParams>,
  next: (rules: readonly RuleView[]) => readonly RuleView[],
): Promise<ConnectionView> {
  const connection = await platform.get('builder', connectionApi(id), connectionViewSchema);
  const rules = next(connection.services.find((one) => one.service === service)?.rules ?? []);
  return await platform.send('builder', 'PUT', connectionApi(id, 'services', service), connectionViewSchema, {
    body: { rules },
  });
}

const addRule = defineAction({
  ...row,
  path: `${PATH}/:id/rules`,
  summary: 'Adds a rule to a service of a connection',
  body: z.object({ service: z.string().min(1).max(64), ...ruleBody }),
  back,
  run: async ({ platform, params: { id }, body }) => {
    const rule = typedRule(body);
    if (rule === null) throw new FairleadError('VALIDATION_FAILED', 'Name the branch or tag that the rule is about');
    // In front, so that what the builder says of it stands at the fields of this form.
    await replaceRules(platform, { id, service: body.service }, (rules) => [rule, ...rules]);
    return { to: connectionPath(id), notice: 'The rule holds from now on.' };
  },
});

const removeRule = defineAction({
  ...row,
  path: `${PATH}/:id/services/:service/rules/remove`,
  summary: 'Removes a rule of a service of a connection',
  params: serviceParams,
  // The rule as the page showed it, with odd characters written out: another one is never removed.
  body: z.object({ rule: z.string().max(40_000) }),
  back,
  run: async ({ platform, params: at, body }) => {
    await replaceRules(platform, at, (rules) => {
      const kept = rules.filter((rule) => visibleText(JSON.stringify(rule)) !== body.rule);
      if (kept.length < rules.length) return kept;
      throw new FairleadError('CONFLICT', 'The rules were changed meanwhile; look again');
    });
    return { to: connectionPath(at.id), notice: 'The rule is removed.' };
  },
});

const disconnect = defineAction({
  ...row,
  path: `${PATH}/:id/disconnect`,
  summary: 'Disconnects a repository',
  back,
  run: async ({ platform, params: { id } }) => {
    const reply = z.object({ hookProblem: z.object({ message: z.string() }).nullable() });
    const { hookProblem } = await platform.send('builder', 'DELETE', connectionApi(id), reply);
    const left = hookProblem === null ? '' : ` Its hook is still at the git host: ${sentence(hookProblem.message)}`;
    return { to: PATH, notice: `The repository is disconnected.${left}` };
  },
});

/** What changes one connection. */
export const connectionActions: readonly Action[] = [
  ...pausing,
  ...[poll, token, removeToken, rotate, finish, look, addRule, removeRule, disconnect],
];
