/** A moment for people, in UTC: the server does not know their time zone. `21 Nov 2026, 10:40 UTC`. */
export function readableTime(time: Date): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return `${time.toLocaleString('en-GB', { ...options, timeZone: 'UTC' })} UTC`;
}
