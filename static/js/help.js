// The help: the lines to copy get the address that the browser sees.

import { fillGuide } from './guide.js';

fillGuide();
