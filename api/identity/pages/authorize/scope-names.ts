/** What the standard scopes mean to the person who is asked; others are shown by their name. */
const NAMES: Readonly<Record<string, string>> = {
  openid: 'Know who you are',
  profile: 'See your name and picture',
  email: 'See your e-mail address',
  offline_access: 'Stay signed in after you sign out here',
};

export function scopeName(scope: string): string {
  const [target, right] = scope.split(':');
  return NAMES[scope] ?? (right === undefined ? scope : `Use ${target} for you: ${right}`);
}
