import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: './generated/hey-api.json',
  // Node runs the client as it is: its imports name files.
  output: { path: 'generated/hey-api', module: { extension: '.ts' } },
});
