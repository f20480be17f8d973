import type { ClientRequest } from 'node:http';

/** RFC 9110, 15.2: a server may say 100 (Continue) or 103 (Early Hints) before it answers. Some say it for ever. */
const MOST_INTERIM_ANSWERS = 1;

/** Ends a request whose server says something else again and again in the place of the answer. */
export function refuseInterimAnswers(sent: ClientRequest): ClientRequest {
  let seen = 0;
  return sent.on('information', () => {
    seen += 1;
    if (seen > MOST_INTERIM_ANSWERS) sent.destroy(Object.assign(new Error('no answer'), { code: 'HPE_NO_ANSWER' }));
  });
}
