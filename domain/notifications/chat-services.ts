/** Chats and pagers that are told in a form of their own. */
export const CHAT_SERVICES = ['slack', 'discord', 'teams', 'telegram', 'ntfy', 'pagerduty'] as const;
export type ChatService = (typeof CHAT_SERVICES)[number];
