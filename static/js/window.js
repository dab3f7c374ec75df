// What a window without menu needs: menus, tips, and the choices that the frame made.

import './menu.js';
import './tip.js';
import './everywhere.js';
