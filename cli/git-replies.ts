import { z } from 'zod';

/** Connections and deliveries as the commands of `fairlead git` read them. */

const text = z.string();

const ruleReply = z.looseObject({ kind: text, pattern: text, environment: text, paths: z.array(text) });

export const connectionReply = z.looseObject({
  id: text,
  org: text,
  repository: text,
  provider: text,
  proof: text,
  hookUrl: text,
  canDeliver: z.boolean().nullish(),
  services: z.array(z.looseObject({ service: text, rules: z.array(ruleReply) })),
  hasToken: z.boolean(),
  tokenProblem: z.looseObject({ code: text, message: text }).nullish(),
  hookRegistered: z.boolean(),
  paused: z.boolean(),
  pollMinutes: z.number().nullish(),
  verifiedAt: text.nullish(),
  lastDeliveryAt: text.nullish(),
  refusedDeliveries: z.number().nullish(),
  lastRefusedAt: text.nullish(),
  silentDays: z.number().nullish(),
});

export type ConnectionReply = z.infer<typeof connectionReply>;

export type Rule = Pick<z.infer<typeof ruleReply>, 'kind' | 'pattern' | 'environment' | 'paths'>;

export const problemReply = z.looseObject({ code: text, message: text }).nullish();

export const connectedReply = z.looseObject({
  connection: connectionReply,
  secret: text.nullish(),
  hookProblem: problemReply,
});

export const deliveryReply = z.looseObject({
  id: text,
  kind: text,
  event: text,
  ref: text.nullish(),
  login: text.nullish(),
  alreadySeen: z.boolean(),
  receivedAt: text,
  state: text,
  outcomes: z.array(
    z.looseObject({
      reason: text,
      explanation: text,
      ref: text.nullish(),
      service: text.nullish(),
      environment: text.nullish(),
      commit: text.nullish(),
      buildId: text.nullish(),
      build: z.looseObject({ status: text, reason: text.nullish() }).nullish(),
      message: text.nullish(),
    }),
  ),
});

export type DeliveryReply = z.infer<typeof deliveryReply>;
