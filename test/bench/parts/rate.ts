/**
 * How much a second the clients together get done, each doing it again and again; the operation is told which of them it
 * is for, and says how much it did.
 */
export async function ratePerSecond(
  operation: (client: number) => Promise<number>,
  { clients, forMs }: { clients: number; forMs: number },
): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const client = async (number: number): Promise<void> => {
    while (performance.now() - startedAt < forMs) {
      const amount = await operation(number);
      // Not `done += await …`: that adds to what `done` was before the wait, and loses what the others did meanwhile.
      done += amount;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return done / ((performance.now() - startedAt) / 1000);
}
