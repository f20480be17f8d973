/** What the Docker client asks for where an engine is to be reached over SSH. @throws Error, always */
exports.Client = class Client {
  constructor() {
    throw new Error('A container engine is not reached over SSH: set DOCKER_HOST to unix:///… or tcp://…');
  }
};
