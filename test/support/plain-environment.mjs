import vm from 'node:vm';

import { TestEnvironment } from 'jest-environment-node';

const { createContext } = vm;

/**
 * Jest's Node environment with an ordinary global object. Jest observes the global object by a proxy, which
 * makes each access to a global such as `Math` many times slower.
 */
export default class PlainEnvironment extends TestEnvironment {
  constructor(...options) {
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    super(...options);
    vm.createContext = createContext;
  }
}
