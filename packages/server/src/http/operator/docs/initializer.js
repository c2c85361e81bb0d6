/* global SwaggerUIBundle */

/** The contract, with requests going to wherever this page was loaded from. */
async function loadContract() {
  const response = await fetch('openapi/v1.json');
  const contract = await response.json();
  if (!response.ok) throw new Error(contract.error?.message ?? `status ${response.status}`);
  const url = new URL('.', location.href).href.replace(/\/$/, '');
  return { ...contract, servers: [{ url }] };
}

loadContract().then(
  (spec) => {
    SwaggerUIBundle({
      spec,
      dom_id: '#reference',
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      filter: true,
      validatorUrl: null,
    });
  },
  (error) => {
    document.querySelector('#reference').textContent =
      `The contract could not be loaded: ${error.message}`;
  },
);
