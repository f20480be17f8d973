// A login form marked `data-challenge` is of an address where too many logins failed: while the password is typed, the
// script looks for the answer, so that the person need not wait (domain/identity/login-challenge.ts).
(() => {
  const form = document.querySelector('form[data-challenge]');
  if (!form || !globalThis.crypto?.subtle) return;
  const { challenge, bits } = form.dataset;
  const BLOCK_BYTES = 65536;
  const AT_ONCE = 16;

  const isAnswer = async (answer) => {
    const block = new Uint8Array(BLOCK_BYTES);
    new TextEncoder().encodeInto(`${answer}.${challenge}`, block);
    const digest = new DataView(await crypto.subtle.digest('SHA-256', block));
    return digest.getUint32(0) >>> (32 - Number(bits)) === 0;
  };

  const findAnswer = async () => {
    for (let first = 0; ; first += AT_ONCE) {
      const answers = Array.from({ length: AT_ONCE }, (_, index) => first + index);
      const found = await Promise.all(answers.map(isAnswer));
      if (found.includes(true)) return first + found.indexOf(true);
    }
  };

  const answered = findAnswer().then((answer) => {
    form.elements.answer.value = String(answer);
  });
  form.addEventListener('submit', (event) => {
    // A link by mail needs no answer.
    if (form.elements.answer.value !== '' || event.submitter?.hasAttribute('formaction')) return;
    event.preventDefault();
    for (const button of form.querySelectorAll('button')) button.disabled = true;
    answered.then(() => form.submit());
  });
})();

// Passkeys, which the pages cannot do without a script either. A form marked `data-passkey` appears when the browser
// knows WebAuthn; its submission asks for options, lets the browser answer them, and then goes on as a plain form.
(() => {
  if (typeof PublicKeyCredential === 'undefined' || !navigator.credentials) return;

  const toBytes = (text) => {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  };
  const toText = (buffer) => {
    const binary = String.fromCharCode(...new Uint8Array(buffer));
    return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  };
  const withBytes = (list) => (list ?? []).map((item) => ({ ...item, id: toBytes(item.id) }));

  const askForOptions = async (form) => {
    const response = await fetch(form.dataset.options, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrf: form.elements.csrf.value }),
    });
    const reply = await response.json();
    if (!response.ok) throw new Error(reply.error?.message ?? 'The server did not answer.');
    return reply.data;
  };

  /** A credential as the server reads it. */
  const describe = ({ id, type, authenticatorAttachment }, response) => ({
    id,
    rawId: id,
    type,
    ...(authenticatorAttachment ? { authenticatorAttachment } : {}),
    clientExtensionResults: {},
    response,
  });

  const get = async (options) => {
    const publicKey = {
      ...options,
      challenge: toBytes(options.challenge),
      allowCredentials: withBytes(options.allowCredentials),
    };
    const credential = await navigator.credentials.get({ publicKey });
    const { response } = credential;
    return describe(credential, {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      ...(response.userHandle ? { userHandle: toText(response.userHandle) } : {}),
    });
  };

  const create = async (options) => {
    const publicKey = {
      ...options,
      challenge: toBytes(options.challenge),
      user: { ...options.user, id: toBytes(options.user.id) },
      excludeCredentials: withBytes(options.excludeCredentials),
    };
    const credential = await navigator.credentials.create({ publicKey });
    const { response } = credential;
    return describe(credential, {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    });
  };

  const explain = (error) => {
    if (error.name === 'NotAllowedError') return 'The passkey was not used. You can try again.';
    if (error.name === 'InvalidStateError') return 'This device already has a passkey for your account.';
    return error.message;
  };

  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const message = form.querySelector('[data-message]');
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      message.hidden = true;
      const button = form.querySelector('button');
      button.disabled = true;
      try {
        const options = await askForOptions(form);
        const credential = form.dataset.passkey === 'create' ? await create(options) : await get(options);
        form.elements.credential.value = JSON.stringify(credential);
        form.submit();
      } catch (error) {
        message.textContent = explain(error);
        message.hidden = false;
        button.disabled = false;
        button.focus();
      }
    });
  }
  for (const part of document.querySelectorAll('[data-with-passkey]')) part.hidden = false;
})();
