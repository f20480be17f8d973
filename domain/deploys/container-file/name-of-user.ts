import { APP_USER } from './base-images.ts';

/** Programs that ask the system who they are, as `os.userInfo()` does, fail where the user's number has no name. */
export const NAME_OF_USER = `RUN grep -q "^[^:]*:[^:]*:${APP_USER}:" /etc/passwd || echo "app:x:${APP_USER}:${APP_USER}::/tmp:/bin/sh" >> /etc/passwd`;

/** In an image that somebody else made, where root may not be the user: there, the user stays without a name. */
export const NAME_OF_USER_IF_MAY = `${NAME_OF_USER} || true`;
