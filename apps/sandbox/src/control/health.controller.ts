import { Controller, Get } from '@nestjs/common';

/** Tells that the sandbox can answer. */
@Controller('sandbox/health')
export class HealthController {
  @Get()
  check() {
    return { status: 'ok' };
  }
}
