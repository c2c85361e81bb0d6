/* global Scalar */

// Zod, inside Scalar, would otherwise try `Function`, which the content security policy forbids.
globalThis.__zod_globalConfig = { jitless: true };

/** Loads the contract. Requests go to the address of this page, also behind a proxy's path. */
async function loadContract() {
  const response = await fetch('openapi/v1.json');
  const contract = await response.json();
  if (!response.ok) throw new Error(contract.error?.message ?? `status ${response.status}`);
  const url = new URL('.', location.href).href.replace(/\/$/, '');
  return { ...contract, servers: [{ url }] };
}

/**
 * Colours in place of those with a contrast below 4.5:1 for small text. No outline around an operation that
 * a link has opened. No example text in the field of the key, where it looks like a key.
 */
const styles = `
  .light-mode {
    --scalar-color-3: #6b6b6b;
    --scalar-color-green: #04713f;
    --scalar-color-orange: #ad5400;
    --scalar-color-blue: #0067b8;
  }
  .dark-mode {
    --scalar-color-3: #9a9a9a;
    --scalar-color-red: #ff7370;
  }
  section:focus-visible {
    outline: none;
  }
  input[placeholder^='QUxM']::placeholder {
    color: transparent;
  }
`;

/** @param {object} content the contract */
function show(content) {
  Scalar.createApiReference('#reference', {
    content,
    theme: 'default',
    customCss: styles,
    authentication: { preferredSecurityScheme: 'apiKey' },
    // A key is forgotten with the page.
    persistAuth: false,
    // No other hosts: no telemetry, fonts, proxy or services of Scalar.
    telemetry: false,
    withDefaultFonts: false,
    proxyUrl: '',
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
}

function showError(error) {
  document.querySelector('#reference').textContent =
    `The contract could not be loaded: ${error.message}`;
}

// This script runs before Scalar's. The event comes after both.
document.addEventListener('DOMContentLoaded', () => loadContract().then(show).catch(showError));
