// Shows the OpenAPI document. Everything comes from this server; the validator that
// Swagger UI would ask elsewhere is switched off.
"use strict";

const api = document.getElementById("api");

SwaggerUIBundle({
  url: api.dataset.document,
  domNode: api,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  validatorUrl: null,
  persistAuthorization: false,
});
