import { setImmediate as endOfTurn } from 'node:timers/promises';

/**
 * Waits for company before a command is sent to the database: until the event loop has been round twice, which takes no
 * time when nothing else is to be done, and under load lets the commands of many requests become one. One round would bring
 * those that arrived with the first; the second brings those whose clients have just been answered.
 */
export async function gather(): Promise<void> {
  await endOfTurn();
  await endOfTurn();
}
