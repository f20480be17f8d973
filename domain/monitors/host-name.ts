/** Of a host name in DNS, without the dot at its end. */
export const MOST_HOST_CHARACTERS = 253;
const LABEL = /^[a-z0-9_][a-z0-9_-]{0,62}$/i;

/**
 * Whether a text is a host name or an IPv4 address; a dot may end it. Label by label, since one pattern for the whole would
 * try every way to divide a long one.
 */
export function isHost(text: string): boolean {
  if (text.length > MOST_HOST_CHARACTERS) return false;
  const labels = text.split('.');
  if (labels.length > 1 && labels.at(-1) === '') labels.pop();
  return labels.every((label) => LABEL.test(label));
}
