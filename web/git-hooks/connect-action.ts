import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type ConnectedReply, connectedReplySchema } from '../../domain/git-hooks/git-hook-schema.ts';
import { GIT_PROVIDERS } from '../../domain/git-provider.ts';
import { codeBlock, facts, linkButton, notice } from '../look/components.ts';
import { type ActionDone, defineAction } from '../page.ts';
import { connectionPath, PATH, sentence, WRITERS } from './connection-words.ts';
import { PATTERN_FIELD, ruleBody, typedRule } from './rule-fields.ts';

/** What a reply says: on a page of its own where it has a secret, which is shown this once. */
export function answerOf(reply: ConnectedReply, done: string): ActionDone {
  const { connection, secret, hookProblem } = reply;
  const problem = hookProblem === null ? '' : ` The hook could not be registered: ${sentence(hookProblem.message)}`;
  if (secret === null) return { to: connectionPath(connection.id), notice: `${done}${problem}` };
  return {
    shown: {
      title: done.replace(/\.$/, ''),
      crumbs: [
        ['Push deploys', PATH],
        [connection.repository, connectionPath(connection.id)],
      ],
      body: html`${hookProblem !== null && notice('bad', html`<p>The hook could not be registered: ${sentence(hookProblem.message)} Add it by hand.</p>`)}
${notice('warn', html`<p>Copy the secret now: nobody can read it later. Do not send this form again.</p>`)}
${codeBlock('Secret of the hook', secret)}${byHand(reply)}
<div class="buttons">${linkButton(connectionPath(connection.id), 'I have copied it', { primary: true })}</div>`,
    },
  };
}

/** How the hook is set up at the git host by hand. */
function byHand({ connection: { hookUrl, provider, proof } }: ConnectedReply): Html {
  const place = provider !== 'gitlab' ? 'Secret' : proof === 'token' ? 'Secret token' : 'Signing token';
  return html`<p>In the settings of the repository, add a webhook, or change the one that is there:</p>
${facts([
  ['Address', html`<code>${hookUrl}</code>`],
  [place, 'the one above'],
  ['Content type', html`<code>application/json</code>`],
  ['Events', provider === 'gitlab' ? 'push and tag push' : 'push, which tags are part of'],
])}`;
}

export const connect = defineAction({
  module: 'git-hooks',
  callers: WRITERS,
  path: PATH,
  summary: 'Connects a service with its repository; a secret that is made is shown this once',
  body: z.object({
    service: z.string().max(64),
    provider: z.enum(GIT_PROVIDERS),
    repository: z.string().trim().max(2_048).default(''),
    token: z.string().trim().max(500).default(''),
    apiUrl: z.string().trim().max(500).default(''),
    pollMinutes: z.string().trim().max(10).default(''),
    plainToken: z.literal('on').optional(),
    ...ruleBody,
  }),
  secrets: ['token'],
  back: () => PATH,
  run: async ({ platform, body }) => {
    const { service, provider, repository, token, apiUrl, pollMinutes } = body;
    const rule = typedRule(body);
    if (
      rule === null &&
      (body['rules.0.kind'] !== 'branch' || body['rules.0.environment'] !== 'prod' || body.paths.trim() !== '')
    ) {
      const message = 'Name the branch or tag that the rule is about';
      throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: PATTERN_FIELD, message }] });
    }
    const reply = await platform.send('builder', 'POST', '/git/connections', connectedReplySchema, {
      body: {
        ...{ service, provider, proof: body.plainToken === 'on' ? 'token' : 'signature' },
        ...(repository === '' ? {} : { repository }),
        ...(token === '' ? {} : { token }),
        ...(apiUrl === '' ? {} : { apiUrl }),
        ...(pollMinutes === '' ? {} : { pollMinutes: Number(pollMinutes) }),
        ...(rule === null ? {} : { rules: [rule] }),
      },
    });
    return answerOf(reply, `${service} is connected.`);
  },
});
