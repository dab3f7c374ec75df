//! The page for what is wrong, called directly, as the releases from 3.2 have it.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};

use super::Mapping;
use crate::web::auth::Public;
use crate::web::dialect::Dialect;
use crate::web::view::{self, Frame};

pub(super) fn mappings() -> Vec<Mapping> {
    vec![Mapping::page("/errorpage", Dialect::FROM_3_2, web::to(error_page))]
}

async fn error_page(caller: Public) -> HttpResponse {
    view::error_page(StatusCode::OK, Frame::new(&caller), &[])
}
