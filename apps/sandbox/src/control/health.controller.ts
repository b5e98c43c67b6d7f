import { Controller, Get } from '@nestjs/common';

/** Says that the sandbox can answer. */
@Controller('sandbox/health')
export class HealthController {
  @Get()
  check() {
    return { status: 'ok' };
  }
}
