/** The WebAuthn library, loaded with the first passkey: it takes 27 MiB that an installation without any need not pay. */
export const loadWebAuthn = () => import('@simplewebauthn/server');
