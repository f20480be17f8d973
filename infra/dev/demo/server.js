const express = require('express');

const app = express();
app.get('/', (_request, response) => response.type('text').send('Hello from Fairlead\n'));
app.get('/health', (_request, response) => response.json({ status: 'ok', commit: process.env.GIT_COMMIT }));

const server = app.listen(Number(process.env.PORT ?? 3000), '0.0.0.0');
process.on('SIGTERM', () => server.close(() => process.exit(0)));
